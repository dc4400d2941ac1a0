//! Where a function without source belongs: its library, its package, or the namespaces in its name.

use super::names;
use callscape_facts::functions::Function;

/// The groups around a function, outermost first (of a file that is not foreign: its name, without the
/// directories around it), and whether they are those of a runtime or of a package that someone else wrote.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub groups: Vec<String>,
    pub is_foreign: bool,
}

/// The origin of `function`, from the first that it has of: shared library; path in a known place of packages;
/// other path; namespaces in its name; executable.
///
/// Foreign are shared libraries, the kernel, standard libraries, installed packages, and names in the
/// namespaces of a language's runtime.
pub(super) fn origin(function: Function<'_>) -> Origin {
    let foreign = |groups: Vec<String>| Origin {
        groups,
        is_foreign: true,
    };
    let library = file_name(function.library);
    if is_shared_library(library) {
        let scope = scope_groups(function.name, 1);
        return foreign([vec![library.to_owned()], scope].concat());
    }
    if let Some(groups) = package(function.file) {
        return foreign(groups);
    }
    let mut scope = scope_groups(function.name, 2);
    if let Some(first) = scope.first()
        && is_runtime(first)
        && function.file.is_empty()
    {
        if BUILT_IN.contains(&first.as_str()) {
            scope.insert(0, "builtins".to_owned());
            scope.truncate(2);
        }
        return foreign(scope);
    }
    let groups = if !function.file.is_empty() {
        vec![file_name(function.file).to_owned()]
    } else if !scope.is_empty() {
        scope
    } else if !library.is_empty() {
        vec![library.to_owned()]
    } else {
        Vec::new()
    };
    Origin {
        groups,
        is_foreign: false,
    }
}

/// Whether a namespace is one that comes with a language or a system, or a built-in type of Python.
pub(super) fn is_runtime(namespace: &str) -> bool {
    RUNTIMES.contains(&namespace) || BUILT_IN.contains(&namespace)
}

/// Outermost namespaces of what comes with a language or a system.
const RUNTIMES: [&str; 22] = [
    "std",
    "core",
    "alloc",
    "__gnu_cxx",
    "__cxxabiv1",
    "builtins",
    "java",
    "javax",
    "jdk",
    "sun",
    "kotlin",
    "scala",
    "System",
    "runtime",
    "syscall",
    "linux",
    "sys",
    "time",
    "posix",
    "_io",
    "io",
    "marshal",
];

/// The built-in types of Python, whose methods are recorded as `list.append`.
const BUILT_IN: [&str; 18] = [
    "list",
    "dict",
    "str",
    "set",
    "frozenset",
    "tuple",
    "int",
    "float",
    "bool",
    "bytes",
    "bytearray",
    "object",
    "type",
    "generator",
    "mappingproxy",
    "memoryview",
    "property",
    "super",
];

/// Whether a library is one that programs share: `libc.so.6`, `libz.1.dylib`, `kernel32.dll`, `[vdso]`.
pub(super) fn is_shared_library(library: &str) -> bool {
    let library = file_name(library);
    library.ends_with(".so")
        || library.contains(".so.")
        || library.ends_with(".dylib")
        || library.to_ascii_lowercase().ends_with(".dll")
        || library.starts_with('[')
        || library.starts_with("linux-vdso")
}

/// The last component of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The first `most` of the scopes in a name.
fn scope_groups(name: &str, most: usize) -> Vec<String> {
    if let Some((category, _)) = name.split_once(':')
        && names::is_plain(category)
        && !name.contains("::")
    {
        // An event of the kernel: `linux:schedule`.
        return vec![category.to_owned()];
    }
    let mut parts = names::parts(name);
    parts.pop();
    parts.truncate(most);
    parts.into_iter().map(str::to_owned).collect()
}

/// The package in the path of a file that lies where packages are installed; none for other files.
pub(super) fn package(path: &str) -> Option<Vec<String>> {
    if let Some(module) = path.strip_prefix("<frozen ") {
        let module = module.trim_end_matches('>');
        let package = module.split('.').next().unwrap_or(module);
        return Some(vec!["python".to_owned(), package.to_owned()]);
    }
    if path.starts_with('<') && path.ends_with('>') {
        // `<string>`, `<attrs generated init …>`: made while the program ran.
        return Some(vec!["generated".to_owned()]);
    }
    let path = path.strip_prefix("file://").unwrap_or(path);
    if let Some(module) = path.strip_prefix("node:") {
        let package = module.split('/').next().unwrap_or(module);
        return Some(vec!["node".to_owned(), package.to_owned()]);
    }
    let components: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|component| !component.is_empty())
        .collect();
    let at = |name: &str| components.iter().rposition(|component| *component == name);
    // The group, then the package below it, then the file in that.
    let grouped = |group: Option<&str>, package: usize| -> Option<Vec<String>> {
        let name = components.get(package)?;
        let mut groups: Vec<&str> = group.into_iter().collect();
        let file = *components.last()?;
        if package + 1 < components.len() {
            groups.extend([*name, file]);
        } else {
            groups.push(name.split('.').next().unwrap_or(name));
        }
        Some(groups.into_iter().map(str::to_owned).collect())
    };
    if let Some(at) = at("node_modules") {
        let is_scope = components
            .get(at + 1)
            .is_some_and(|name| name.starts_with('@'));
        return if is_scope {
            grouped(components.get(at + 1).copied(), at + 2)
        } else {
            grouped(None, at + 1)
        };
    }
    if let Some(at) = at("site-packages").or_else(|| at("dist-packages")) {
        return grouped(None, at + 1);
    }
    let is_python = |name: &&str| {
        name.strip_prefix("python3.").is_some_and(|version| {
            !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    if let Some(at) = components.iter().rposition(is_python) {
        return grouped(Some(components[at]), at + 1);
    }
    if let Some(at) = at("registry")
        && components.get(at + 1) == Some(&"src")
    {
        return grouped(None, at + 3);
    }
    if let Some(at) = at("library")
        && (components.contains(&"rustc") || components.contains(&"rustlib"))
    {
        return grouped(Some("rust"), at + 1);
    }
    if let Some(at) = at("mod")
        && at > 0
        && components[at - 1] == "pkg"
    {
        let version = components[at..].iter().position(|name| name.contains('@'));
        return grouped(None, at + version.unwrap_or(1));
    }
    if path.starts_with("/usr/include/") || path.starts_with("/usr/lib/gcc/") {
        return grouped(Some("include"), 2);
    }
    if path.starts_with("/usr/local/go/src/") {
        return grouped(Some("go"), 4);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(name: &str, file: &str, library: &str) -> (String, bool) {
        let origin = origin(Function {
            name,
            file,
            line: 0,
            library,
        });
        (origin.groups.join(" "), origin.is_foreign)
    }

    #[test]
    fn functions_without_source_are_grouped_by_where_they_come_from() {
        let foreign = |groups: &str| (groups.to_owned(), true);
        let own = |groups: &str| (groups.to_owned(), false);
        for (name, file, library, expected) in [
            ("malloc", "", "/usr/lib/libc.so.6", foreign("libc.so.6")),
            (
                "std::rethrow",
                "",
                "libstdc++.so.6",
                foreign("libstdc++.so.6 std"),
            ),
            (
                "T.f",
                "/usr/lib/python3.11/re/_parser.py",
                "",
                foreign("python3.11 re _parser.py"),
            ),
            (
                "E.f",
                "/usr/lib/python3.11/enum.py",
                "",
                foreign("python3.11 enum"),
            ),
            (
                "f",
                "<frozen importlib._bootstrap>",
                "",
                foreign("python importlib"),
            ),
            (
                "f",
                "/v/lib/python3.11/site-packages/attr/_make.py",
                "",
                foreign("attr _make.py"),
            ),
            ("f", "/v/site-packages/six.py", "", foreign("six")),
            (
                "f",
                "/a/node_modules/b/node_modules/lodash/map.js",
                "",
                foreign("lodash map.js"),
            ),
            (
                "f",
                "/a/node_modules/@babel/core/lib/index.js",
                "",
                foreign("@babel core index.js"),
            ),
            (
                "f",
                "node:internal/modules/cjs/loader",
                "",
                foreign("node internal"),
            ),
            (
                "f",
                "/home/user/.cargo/registry/src/index-1/serde-1.0.1/src/de.rs",
                "app",
                foreign("serde-1.0.1 de.rs"),
            ),
            (
                "f",
                "/rustc/abc/library/std/src/io/mod.rs",
                "app",
                foreign("rust std mod.rs"),
            ),
            (
                "f",
                "/home/user/go/pkg/mod/github.com/x/y@v1.2/z.go",
                "",
                foreign("y@v1.2 z.go"),
            ),
            ("builtins.len", "", "", foreign("builtins")),
            ("list.append", "", "", foreign("builtins list")),
            ("java.util.HashMap.put", "", "", foreign("java util")),
            ("linux:schedule", "", "", foreign("linux")),
            ("a::b::C::f", "", "app", own("a b")),
            ("f", "", "/bin/app", own("app")),
            ("f", "/build/x/y.c", "app", own("y.c")),
            ("f", "", "", own("")),
        ] {
            assert_eq!(
                groups(name, file, library),
                expected,
                "{name} {file} {library}"
            );
        }
    }
}
