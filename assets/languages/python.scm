; Definitions of Python. A decision point is every branch of the control flow, those of comprehensions included, and
; every `and` and `or`.
; found by: def lambda class if elif for while except case and or #
; found over lines by: " '
(function_definition name: (_) @name) @function
(assignment left: (identifier) @name right: (lambda)) @function

(class_definition name: (_) @name) @class

(if_statement) @branch
(elif_clause) @branch
(for_statement) @branch
(while_statement) @branch
(except_clause) @branch
(case_clause) @branch
(conditional_expression) @branch
(for_in_clause) @branch
(if_clause) @branch
"and" @branch
"or" @branch

(comment) @comment
(string) @text
