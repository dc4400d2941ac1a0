; Definitions of Rust. A decision point is every branch of the control flow, `?` and each arm of a match but `_`
; included, and every `&&` and `||`. The methods of an implementation stand in the class of its type.
; found by: fn struct enum union trait impl mod if for while => ? && || // /*
; found over lines by: "
(function_item name: (_) @name body: (_)) @function

(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @class
(union_item name: (_) @name) @class
(trait_item name: (_) @name body: (_)) @class
(impl_item type: (_) @name body: (_)) @class

(mod_item name: (_) @name body: (_)) @namespace

(if_expression) @branch
(for_expression) @branch
(while_expression) @branch
(match_arm pattern: (match_pattern (_))) @branch
(try_expression) @branch
(let_chain "&&" @branch)
(binary_expression operator: ["&&" "||"] @branch)

(line_comment) @comment
(block_comment) @comment
(string_literal) @text
(raw_string_literal) @text
