//! One name for each function and module in all views: the shortest that nothing else has. A function has its own name,
//! or that with its class, its file, its file and folder, or its line, whichever is the first that tells it apart;
//! nameless code always has its file and line. Functions that ran have the first choice.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::comparison::pairing::is_nameless;
use super::names::Names;
use super::session::Session;
use callscape_base::escape;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::functions::Functions;
use callscape_facts::hashing::BuildFast;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// The form of a name that gives file and line, the first for nameless code.
const WITH_LINE: usize = 5;

/// After this form, functions are numbered.
const LAST: usize = 7;

/// Directories nested deeper than this are numbered.
const DEEPEST: usize = 64;

/// Languages that write `Class::function`.
const COLONS: [&str; 9] = [
    "Rust",
    "C",
    "C++",
    "C Header",
    "C++ Header",
    "C++ Module",
    "CUDA",
    "PHP",
    "Perl",
];

impl Session {
    /// The name of a module, which nothing else has. O(1) once [`Session::name_all`] is done.
    pub fn module_name(&self, id: ModuleId) -> &str {
        let namer = self.namer();
        match namer.modules.get(id.index()) {
            Some(0) => self.hierarchy.telling_name(id),
            Some(&at) => &namer.longer[at as usize - 1],
            None => "",
        }
    }

    /// The name of a function of one of the recordings, which nothing else has. O(1) once [`Session::name_all`] is done.
    pub fn function_name(&self, recording: usize, id: FunctionId) -> &str {
        let namer = self.namer();
        let shared = namer.functions.get(recording).and_then(|it| it.get(&id));
        let resolved = self.recordings.get(recording);
        match (shared, resolved) {
            (Some(&at), _) => &namer.longer[at as usize - 1],
            (None, Some(it)) => {
                let module = it.resolution.modules.get(id.index());
                module.map_or("", |&module| self.module_name(module))
            }
            (None, None) => "",
        }
    }

    /// Finds all names. O(modules + functions), and their forms where many are alike.
    pub fn name_all(&self) {
        self.namer();
    }

    fn namer(&self) -> &Names {
        self.named.0.get_or_init(|| Names::new(self))
    }
}

impl Names {
    fn new(session: &Session) -> Names {
        let hierarchy = &session.hierarchy;
        let forms = Forms::new(session);
        let mut namer = Names {
            modules: vec![0; hierarchy.len()],
            functions: vec![HashMap::new(); session.recordings.len()],
            longer: Vec::new(),
        };
        let mut taken = Taken::default();
        let (ran, others): (Vec<ModuleId>, Vec<ModuleId>) = hierarchy
            .modules()
            .partition(|id| forms.ran[id.index()].is_some());
        let is_function = |id: &ModuleId| hierarchy.kind(*id) == ModuleKind::Function;
        let (idle, around): (Vec<_>, Vec<_>) = others.into_iter().partition(is_function);
        for modules in [ran, idle, around] {
            let write = |&id: &ModuleId, form: usize, out: &mut String| forms.write(id, form, out);
            let sign = |&id: &ModuleId| match hierarchy.kind(id) {
                ModuleKind::Directory => "/",
                _ => "",
            };
            taken.name(modules, (write, sign), |id, text| {
                if text != hierarchy.telling_name(id) {
                    namer.longer.push(text.into());
                    namer.modules[id.index()] = namer.longer.len() as u32;
                }
            });
        }
        let sharing = forms.sharing();
        let write = |of: &Sharing, form: usize, out: &mut String| forms.write_shared(of, form, out);
        let sign = |_: &Sharing| "";
        taken.name(sharing, (write, sign), |of, text| {
            namer.longer.push(text.into());
            for (recording, function) in of.functions {
                namer.functions[recording].insert(function, namer.longer.len() as u32);
            }
        });
        namer
    }
}

/// The names that are given, and those that would mean several things.
#[derive(Default)]
struct Taken {
    given: HashSet<u64, BuildFast>,
    ambiguous: HashSet<u64, BuildFast>,
    hash: BuildFast,
}

impl Taken {
    /// Gives each thing the text of its first form that no other thing has; if its last form is taken, the sign of what
    /// it is as well, or a number.
    fn name<T>(
        &mut self,
        mut left: Vec<T>,
        (write, sign): (
            impl Fn(&T, usize, &mut String) -> bool,
            impl Fn(&T) -> &'static str,
        ),
        mut give: impl FnMut(T, &str),
    ) {
        let mut text = String::new();
        for form in 0.. {
            // By the text of a thing how many have it, and how many of these in their last form.
            let mut counts: HashMap<u64, [u32; 2], BuildFast> = HashMap::default();
            let mut hashes = Vec::with_capacity(left.len());
            for thing in &left {
                text.clear();
                let is_last = !write(thing, form, &mut text);
                let hash = self.hash_of(&text);
                let count = counts.entry(hash).or_default();
                count[0] += 1;
                count[1] += u32::from(is_last);
                hashes.push((hash, is_last));
            }
            let mut further = Vec::new();
            for (thing, (hash, is_last)) in left.into_iter().zip(hashes) {
                let [all, last] = counts[&hash];
                // A name of several is nobody's, unless one of them has no longer one.
                let is_its = match is_last {
                    true => last == 1,
                    false => all == 1 && !self.ambiguous.contains(&hash),
                };
                if !is_its {
                    self.ambiguous.insert(hash);
                }
                let is_given = is_its && self.given.insert(hash);
                if !is_given && !is_last {
                    further.push(thing);
                    continue;
                }
                text.clear();
                write(&thing, form, &mut text);
                if !is_given {
                    self.tell_apart(&mut text, sign(&thing));
                }
                give(thing, &text);
            }
            left = further;
            if left.is_empty() {
                return;
            }
        }
    }

    fn hash_of(&self, text: &str) -> u64 {
        self.hash.of_bytes(escape::name(text).as_bytes())
    }

    fn tell_apart(&mut self, text: &mut String, sign: &str) {
        let length = text.len();
        text.push_str(sign);
        if !sign.is_empty() && self.given.insert(self.hash_of(text)) {
            return;
        }
        for number in 1_u64.. {
            text.truncate(length);
            text.push_str(&format!(" #{number}"));
            if self.given.insert(self.hash_of(text)) {
                return;
            }
        }
    }
}

/// Functions with the same recorded name and place that share their module with others.
#[derive(Debug)]
struct Sharing {
    module: ModuleId,
    /// By recording.
    functions: Vec<(usize, FunctionId)>,
}

/// What names are written from.
struct Forms<'a> {
    session: &'a Session,
    hierarchy: &'a Hierarchy,
    /// By module whether a function that ran stands for it, and whether its recorded name has colons.
    ran: Vec<Option<bool>>,
}

impl<'a> Forms<'a> {
    fn new(session: &'a Session) -> Forms<'a> {
        let mut ran = vec![None; session.hierarchy.len()];
        for resolved in &session.recordings {
            let functions = &resolved.recording.functions;
            for (id, module) in functions.ids().zip(&resolved.resolution.modules) {
                let has_colons = functions.get(id).name.contains("::");
                let known = &mut ran[module.index()];
                *known = Some(known.unwrap_or(false) || has_colons);
            }
        }
        Forms {
            session,
            hierarchy: &session.hierarchy,
            ran,
        }
    }

    /// Writes a form of a module's name; false for the last.
    fn write(&self, id: ModuleId, form: usize, out: &mut String) -> bool {
        use ModuleKind::{Class, Function, Namespace};
        match self.hierarchy.kind(id) {
            Function | Class | Namespace => self.write_inner(id, form, out),
            _ => self.write_outer(id, form, out),
        }
    }

    /// The name, and so many of the modules around it.
    fn write_outer(&self, id: ModuleId, form: usize, out: &mut String) -> bool {
        let depth = usize::from(self.hierarchy.depth(id));
        if form == 0 {
            out.push_str(self.hierarchy.telling_name(id));
        } else {
            self.write_path(id, form + 1, out);
        }
        form + 1 < depth.min(DEEPEST)
    }

    /// The last `most` names of a path.
    fn write_path(&self, id: ModuleId, most: usize, out: &mut String) {
        let names = self.hierarchy.ancestors(id).take(most);
        let names = names.filter(|&it| it != ModuleId::ROOT || it == id);
        let mut names: Vec<&str> = names.map(|it| self.hierarchy.name(it)).collect();
        names.reverse();
        out.push_str(&names.join("/"));
    }

    fn write_inner(&self, id: ModuleId, form: usize, out: &mut String) -> bool {
        let name = self.hierarchy.name(id);
        let form = match is_closure(name) || is_address(name) {
            true => form + WITH_LINE,
            false => form,
        };
        if matches!(form, 1 | 3 | 4 | 6..)
            && let Some(class) = self.class(id)
        {
            out.push_str(self.hierarchy.name(class));
            out.push_str(self.joint(id));
        }
        out.push_str(name);
        let folders = match form {
            0 | 1 => return true,
            2 | 3 | WITH_LINE => 0,
            4 | 6 => 1,
            _ => usize::MAX - 1,
        };
        let line = self.hierarchy.module(id).line;
        let line = (form >= WITH_LINE && line > 0).then_some(line);
        self.write_place(id, folders, line, out);
        form < LAST
    }

    /// The file or else the district that a module is in, with so many folders around it.
    fn write_place(&self, id: ModuleId, folders: usize, line: Option<u32>, out: &mut String) {
        use ModuleKind::{Class, Function, Namespace, Root};
        let mut around = self.hierarchy.ancestors(id);
        let place = around.find(|&it| {
            let kind = self.hierarchy.kind(it);
            !matches!(kind, Function | Class | Namespace | Root)
        });
        let Some(place) = place else {
            return;
        };
        out.push_str(" (");
        match folders {
            0 => out.push_str(self.hierarchy.telling_name(place)),
            _ => self.write_path(place, folders + 1, out),
        }
        if let Some(line) = line {
            out.push_str(&format!(":{line}"));
        }
        out.push(')');
    }

    /// The class or namespace that a function is in; none if its name says as much, as in C.
    fn class(&self, id: ModuleId) -> Option<ModuleId> {
        let mut around = self.hierarchy.ancestors(id).skip(1);
        let class = around.find(|&it| {
            let kind = self.hierarchy.kind(it);
            kind != ModuleKind::Function
        })?;
        let kind = self.hierarchy.kind(class);
        let is_class = matches!(kind, ModuleKind::Class | ModuleKind::Namespace);
        let says = self
            .hierarchy
            .name(id)
            .starts_with(self.hierarchy.name(class));
        (is_class && !says).then_some(class)
    }

    fn joint(&self, id: ModuleId) -> &'static str {
        let language = self.hierarchy.module(id).language;
        match COLONS.contains(&language) || self.ran[id.index()] == Some(true) {
            true => "::",
            false => ".",
        }
    }

    /// Functions whose module does not stand for them alone.
    fn sharing(&self) -> Vec<Sharing> {
        let mut found: Vec<Sharing> = Vec::new();
        let mut places: HashMap<(ModuleId, Key<'_>), usize> = HashMap::new();
        for (recording, resolved) in self.session.recordings.iter().enumerate() {
            let functions = &resolved.recording.functions;
            let modules = &resolved.resolution.modules;
            let stands = |id: FunctionId, module: ModuleId| {
                is_closure(functions.get(id).name) == is_closure(self.hierarchy.name(module))
            };
            let mut counts: HashMap<ModuleId, u32, BuildFast> = HashMap::default();
            for (id, &module) in functions.ids().zip(modules) {
                *counts.entry(module).or_default() += u32::from(stands(id, module));
            }
            for (id, &module) in functions.ids().zip(modules) {
                if counts[&module] == 1 && stands(id, module) {
                    continue;
                }
                let at = *places
                    .entry((module, key(functions, id)))
                    .or_insert_with(|| {
                        found.push(Sharing {
                            module,
                            functions: Vec::new(),
                        });
                        found.len() - 1
                    });
                found[at].functions.push((recording, id));
            }
        }
        found
    }

    /// Writes a form of the name of a function that shares its module, from its recording; false for the last.
    fn write_shared(&self, of: &Sharing, form: usize, out: &mut String) -> bool {
        let Some(&(recording, id)) = of.functions.first() else {
            return false;
        };
        let functions = &self.session.recordings[recording].recording.functions;
        let function = functions.get(id);
        let is_nameless = is_closure(function.name) || is_address(function.name);
        let form = form + if is_nameless { 2 } else { 0 };
        out.push_str(function.name);
        let last = function.file.rsplit(['/', '\\']).next().unwrap_or_default();
        match (form, last) {
            (0, _) => {}
            (_, "") => self.write_place(of.module, 0, None, out),
            (1, file) => out.push_str(&format!(" ({file})")),
            (2, file) => out.push_str(&format!(" ({file}:{})", function.line)),
            (3, file) => {
                let column = functions.column(id);
                out.push_str(&format!(" ({file}:{}:{column})", function.line));
            }
            _ => {
                let (file, column) = (function.file, functions.column(id));
                out.push_str(&format!(" ({file}:{}:{column})", function.line));
            }
        }
        form < 4
    }
}

type Key<'a> = (Cow<'a, str>, &'a str, u32, u32);

fn key(functions: &Functions, id: FunctionId) -> Key<'_> {
    let function = functions.get(id);
    (
        Cow::Borrowed(function.name),
        function.file,
        function.line,
        functions.column(id),
    )
}

/// Whether code has no name of its own: that of a file, a closure, a lambda, a generator.
fn is_closure(name: &str) -> bool {
    is_nameless(name)
        || ["{closure", "{lambda", "<lambda", "{{closure}}", "::$_"]
            .iter()
            .any(|sign| name.contains(sign))
        || matches!(name, "lambda" | "anonymous")
}

/// Whether a recording gives only where the code is.
pub fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x");
    digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests;
