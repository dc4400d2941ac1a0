; Definitions of JavaScript. A decision point is every branch of the control flow, and every `&&`, `||` and `??`. Where two patterns match one function, the first names it.
; found by: function class => {! if for while do case default catch ? && || // /* <!-- -->
; found over lines by: `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
(method_definition name: (_) @name) @function

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(arrow_function) (function_expression) (generator_function)] @function)
(pair
  key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)

(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class) @class)
(assignment_expression left: [(identifier) (member_expression)] @name right: (class) @class)

(if_statement) @branch
(for_statement) @branch
(for_in_statement) @branch
(while_statement) @branch
(do_statement) @branch
(switch_case) @branch
(catch_clause) @branch
(ternary_expression) @branch
"&&" @branch
"||" @branch
"??" @branch

(comment) @comment
(template_string) @text
