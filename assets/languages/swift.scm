; Definitions of Swift. Extensions stand in the class of their type; a property is a function where it is
; computed. A decision point is every branch of the control flow, and every `&&`, `||` and `??`.
; found by: func init deinit subscript class struct enum extension actor protocol { if guard for while repeat case default catch ? && || // /*
; found over lines by: "
(function_declaration "func" . name: _ @name body: (_)) @function
(init_declaration name: "init" @name body: (_)) @function
(deinit_declaration "deinit" @name) @function
(subscript_declaration "subscript" @name) @function
(property_declaration name: (pattern (simple_identifier) @name) computed_value: (_)) @function
(property_declaration name: (pattern (simple_identifier) @name) value: (lambda_literal) @function)

(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @class

(if_statement) @branch
(guard_statement) @branch
(for_statement) @branch
(while_statement) @branch
(repeat_while_statement) @branch
(switch_entry (switch_pattern)) @branch
(catch_block) @branch
(ternary_expression) @branch
(conjunction_expression) @branch
(disjunction_expression) @branch
(nil_coalescing_expression) @branch

(comment) @comment
(multiline_comment) @comment
(multi_line_string_literal) @text
(raw_string_literal) @text
