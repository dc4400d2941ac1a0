; What is coloured in Kotlin: its grammar comes without such a query. Of what matches one place the last counts.
(identifier) @variable
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))

(user_type (identifier) @type)
(class_declaration name: (identifier) @type)
(object_declaration name: (identifier) @type)
(companion_object name: (identifier) @type)
(type_alias type: (identifier) @type)
(type_parameter (identifier) @type)
(enum_entry (identifier) @constant)

(function_declaration name: (identifier) @function)
(call_expression (identifier) @function)
(call_expression (navigation_expression (identifier) @function .))

(annotation) @attribute
(file_annotation) @attribute
(label) @label

(line_comment) @comment
(block_comment) @comment
(shebang) @comment
(string_literal) @string
(multiline_string_literal) @string
(character_literal) @string
(escape_sequence) @escape
(interpolation) @embedded
(number_literal) @number
(float_literal) @number
((identifier) @constant.builtin (#any-of? @constant.builtin "true" "false" "null"))

(class_modifier) @keyword
(function_modifier) @keyword
(inheritance_modifier) @keyword
(member_modifier) @keyword
(parameter_modifier) @keyword
(platform_modifier) @keyword
(property_modifier) @keyword
(reification_modifier) @keyword
(variance_modifier) @keyword
(visibility_modifier) @keyword
[
  "as" "as?" "by" "catch" "class" "companion" "constructor" "do" "else" "enum" "finally" "for" "fun" "get" "if" "import"
  "in" "!in" "init" "interface" "is" "!is" "object" "package" "return" "set" "super" "suspend" "this" "throw" "try"
  "typealias" "val" "var" "when" "where" "while"
] @keyword
