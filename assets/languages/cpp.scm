; Definitions of C++. A decision point is every branch of the control flow, and every `&&` and `||`. A function's name is found below its @declarator, however many pointers stand before it.
; found by: if for while do case catch namespace and or {! ? && || // /*
; found over lines by: "
(function_definition declarator: (_) @declarator body: (_)) @function

; A class whose head holds a macro, `class EXPORT Name { … }`, is read by the grammar as a function without parameters.
(function_definition
  type: [
    (class_specifier !body)
    (struct_specifier !body)
  ]
  declarator: (identifier) @name) @class

(class_specifier name: (_) @name body: (_)) @class
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

(namespace_definition name: (_) @name body: (_)) @namespace

(if_statement) @branch
(for_statement) @branch
(while_statement) @branch
(do_statement) @branch
(case_statement value: (_)) @branch
(conditional_expression) @branch
(for_range_loop) @branch
(catch_clause) @branch
(binary_expression operator: "&&") @branch
"||" @branch
"and" @branch
"or" @branch

(comment) @comment
(raw_string_literal) @text
