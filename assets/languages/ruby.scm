; Definitions of Ruby. A decision point is every branch of the control flow, and every `&&`, `||`, `and` and `or`.
; found by: def define_method define_singleton_method lambda proc -> class module Struct Class Module Data if elsif unless while until for when in rescue and or ? && || # =begin <<
; found over lines by: " ' %
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(call method: (identifier) @define arguments: (argument_list . (simple_symbol) @name) block: (_)
  (#any-of? @define "define_method" "define_singleton_method")) @function
(assignment left: [(identifier) (constant)] @name right: (lambda) @function)
(assignment left: [(identifier) (constant)] @name
  right: (call method: (identifier) @define block: (_) (#any-of? @define "lambda" "proc")) @function)

(class name: (_) @name) @class
(module name: (_) @name) @class
(assignment left: (constant) @name
  right: (call receiver: (constant) @struct method: (identifier) @define block: (_)
    (#any-of? @struct "Struct" "Class" "Module" "Data") (#any-of? @define "new" "define"))) @class

(if) @branch
(elsif) @branch
(unless) @branch
(if_modifier) @branch
(unless_modifier) @branch
(conditional) @branch
(while) @branch
(until) @branch
(while_modifier) @branch
(until_modifier) @branch
(for) @branch
(when) @branch
(in_clause) @branch
(rescue) @branch
(rescue_modifier) @branch
"&&" @branch
"||" @branch
"and" @branch
"or" @branch

(comment) @comment
(string) @text
(heredoc_body) @text
