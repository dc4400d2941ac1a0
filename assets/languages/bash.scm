; Definitions of shell scripts. A decision point is every branch of the control flow, and every `&&` and `||`.
; found by: function ( if elif for while until select case ? && || # <<
; found over lines by: " '
(function_definition name: (_) @name) @function

(if_statement) @branch
(elif_clause) @branch
(for_statement) @branch
(c_style_for_statement) @branch
(while_statement) @branch
(case_item) @branch
(ternary_expression) @branch
"&&" @branch
"||" @branch

(comment) @comment
(string) @text
(raw_string) @text
(heredoc_body) @text
