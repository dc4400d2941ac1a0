; Definitions of C#. A property is a function where its accessors have bodies. A namespace without braces
; reaches to the end of the file. A decision point is every branch of the control flow, and every `&&`, `||` and `??`.
; found by: class struct interface record enum namespace delegate {! => if for foreach while do catch case ? && || // /*
; found over lines by: "
(method_declaration name: (_) @name body: (_)) @function
(constructor_declaration name: (_) @name body: (_)) @function
(destructor_declaration "~" name: (_) @name body: (_)) @function
(operator_declaration operator: _ @name body: (_)) @function
(conversion_operator_declaration type: (_) @name body: (_)) @function
(local_function_statement name: (_) @name body: (_)) @function
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(property_declaration name: (_) @name value: (arrow_expression_clause)) @function
(event_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(indexer_declaration "this" @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(indexer_declaration "this" @name value: (arrow_expression_clause)) @function
(variable_declarator name: (identifier) @name [(lambda_expression) (anonymous_method_expression)] @function)

(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class

(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace.rest

(if_statement) @branch
(for_statement) @branch
(foreach_statement) @branch
(while_statement) @branch
(do_statement) @branch
(catch_clause) @branch
(conditional_expression) @branch
(switch_section "case") @branch
(switch_expression_arm) @branch
"&&" @branch
"||" @branch
"??" @branch

(comment) @comment
(verbatim_string_literal) @text
(raw_string_literal) @text
(interpolated_string_expression) @text
