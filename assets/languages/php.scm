; Definitions of PHP. A namespace without braces reaches to the next one or the end of the file. A decision
; point is every branch of the control flow, and every `&&`, `||`, `and`, `or`, `xor` and `??`.
; found by: function fn class interface trait enum namespace => if elseif for foreach while do case catch and or xor ? && || // /* #
; found over lines by: " ' <<<
(function_definition name: (_) @name body: (_)) @function
(method_declaration name: (_) @name body: (_)) @function
(assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function) (arrow_function)] @function)

(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class

(namespace_definition name: (_) @name body: (_)) @namespace
(namespace_definition name: (_) @name !body) @namespace.rest

(if_statement) @branch
(else_if_clause) @branch
(for_statement) @branch
(foreach_statement) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement) @branch
(match_conditional_expression) @branch
(catch_clause) @branch
(conditional_expression) @branch
"&&" @branch
"||" @branch
"and" @branch
"or" @branch
"xor" @branch
"??" @branch

(comment) @comment
(string) @text
(encapsed_string) @text
(heredoc) @text
(nowdoc) @text
