; Definitions of TypeScript, with and without JSX. A decision point is every branch of the control flow, and every
; `&&`, `||` and `??`. Where two patterns match one function, the first names it.
; found by: function class interface enum namespace module => {! if for while do case default catch ? && || // /* <!-- -->
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
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)

(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class) @class)
(assignment_expression left: [(identifier) (member_expression)] @name right: (class) @class)

(internal_module name: (_) @name body: (_)) @namespace
(module name: (_) @name body: (_)) @namespace

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
