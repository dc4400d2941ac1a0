; Definitions of Rust. The methods of an implementation stand in the class of its type.
(function_item name: (_) @name body: (_)) @function

(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @class
(union_item name: (_) @name) @class
(trait_item name: (_) @name body: (_)) @class
(impl_item type: (_) @name body: (_)) @class

(mod_item name: (_) @name body: (_)) @namespace

(line_comment) @comment
(block_comment) @comment
(string_literal) @text
(raw_string_literal) @text
