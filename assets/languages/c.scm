; Definitions of C. A decision point is every branch of the control flow, and every `&&` and `||`. A function's name is found below its @declarator, however many pointers stand before it.
; found by: if for while do case {! ? && || // /*
(function_definition declarator: (_) @declarator body: (_)) @function

(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(type_definition
  type: [
    (struct_specifier !name body: (_))
    (union_specifier !name body: (_))
    (enum_specifier !name body: (_))
  ]
  declarator: (type_identifier) @name) @class

(if_statement) @branch
(for_statement) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement value: (_)) @branch
(conditional_expression) @branch
"&&" @branch
"||" @branch

(comment) @comment
