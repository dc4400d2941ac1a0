; Definitions of Kotlin. A decision point is every branch of the control flow, and every `&&`, `||` and `?:`.
; found by: fun constructor get set class interface object companion { -> if for while do catch && || ?: // /*
; found over lines by: "
(function_declaration name: (_) @name (function_body)) @function
(secondary_constructor "constructor" @name) @function
(property_declaration (variable_declaration (identifier) @name) [(getter (function_body)) (setter (function_body))]) @function
(property_declaration (variable_declaration (identifier) @name) [(lambda_literal) (anonymous_function)] @function)

(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(companion_object name: (_) @name) @class
(companion_object "companion" @name !name) @class

(if_expression) @branch
(for_statement) @branch
(while_statement) @branch
(do_while_statement) @branch
(catch_block) @branch
(when_entry condition: (_)) @branch
"&&" @branch
"||" @branch
"?:" @branch

(line_comment) @comment
(block_comment) @comment
(multiline_string_literal) @text
