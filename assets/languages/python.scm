; Definitions of Python.
(function_definition name: (_) @name) @function
(assignment left: (identifier) @name right: (lambda)) @function

(class_definition name: (_) @name) @class

(comment) @comment
(string) @text
