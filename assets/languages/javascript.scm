; Definitions of JavaScript. Where two patterns match one function, the first names it.
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

(comment) @comment
(template_string) @text
