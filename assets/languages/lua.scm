; Definitions of Lua. A decision point is every branch of the control flow, and every `and` and `or`.
; found by: function if elseif for while repeat and or --
; found over lines by: " ' [[ [=
(function_declaration name: (_) @name) @function
(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition) @function .))
(field name: [(identifier) (string)] @name value: (function_definition) @function)

(if_statement) @branch
(elseif_statement) @branch
(for_statement) @branch
(while_statement) @branch
(repeat_statement) @branch
"and" @branch
"or" @branch

(comment) @comment
(string) @text
