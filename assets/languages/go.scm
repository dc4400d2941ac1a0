; Definitions of Go. A method stands in the class of its receiver. A decision point is every branch of the
; control flow, and every `&&` and `||`.
; found by: func struct interface if for case && || // /*
; found over lines by: `
(function_declaration name: (_) @name body: (_)) @function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (pointer_type (type_identifier) @scope)
        (generic_type type: (_) @scope)
        (pointer_type (generic_type type: (_) @scope))
      ]))
  name: (_) @name
  body: (_)) @function
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal) @function .))
(var_spec name: (identifier) @name value: (expression_list . (func_literal) @function .))

(type_spec name: (_) @name type: [(struct_type) (interface_type)]) @class

(if_statement) @branch
(for_statement) @branch
(expression_case) @branch
(type_case) @branch
(communication_case) @branch
"&&" @branch
"||" @branch

(comment) @comment
(raw_string_literal) @text
