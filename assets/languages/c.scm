; Definitions of C. A function's name is found below its @declarator, however many pointers stand before it.
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

(comment) @comment
