; Definitions of Java. A decision point is every branch of the control flow, and every `&&` and `||`.
; found by: class interface enum record {! -> if for while do case catch ? && || // /*
; found over lines by: "
(method_declaration name: (_) @name body: (_)) @function
(constructor_declaration name: (_) @name) @function
(compact_constructor_declaration name: (_) @name) @function
(variable_declarator name: (identifier) @name value: (lambda_expression) @function)

(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(annotation_type_declaration name: (_) @name) @class

(if_statement) @branch
(for_statement) @branch
(enhanced_for_statement) @branch
(while_statement) @branch
(do_statement) @branch
(catch_clause) @branch
(ternary_expression) @branch
(switch_label (_)) @branch
"&&" @branch
"||" @branch

(line_comment) @comment
(block_comment) @comment
(string_literal) @text
