//! What session files keep of views: a struct each, whose fields stand among those of the others.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Adds the fields of what is kept.
pub(crate) fn put(kept: &impl Serialize, out: &mut Map<String, Value>) {
    if let Ok(Value::Object(fields)) = serde_json::to_value(kept) {
        out.extend(fields);
    }
}

/// What was kept, and how many of its fields mean nothing. These are as usual, as are those that are missing or null.
pub(crate) fn read<T: Serialize + DeserializeOwned + Default>(
    from: &Map<String, Value>,
) -> (T, usize) {
    let mut fields = Map::new();
    put(&T::default(), &mut fields);
    let mut lost = 0;
    for (name, field) in &mut fields {
        let Some(value) = from.get(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        match T::deserialize(Value::Object(alone)) {
            Ok(_) => *field = value.clone(),
            Err(_) => lost += 1,
        }
    }
    let kept = serde_json::from_value(Value::Object(fields));
    (kept.unwrap_or_default(), lost)
}

/// What session files call by a name.
pub(crate) trait HasName: Copy + Sized + 'static {
    fn all() -> impl Iterator<Item = Self>;
    fn name(self) -> Cow<'static, str>;
}

/// Something by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Named<T>(pub T);

impl<T: HasName> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.name())
    }
}

impl<'a, T: HasName> Deserialize<'a> for Named<T> {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Named<T>, D::Error> {
        let name = String::deserialize(from)?;
        let found = T::all().find(|it| it.name() == name);
        found
            .map(Named)
            .ok_or_else(|| D::Error::custom("no such name"))
    }
}

/// What a view does to be kept, by functions of its module `saved`.
macro_rules! by_saved {
    () => {
        fn save(&self, _state: &State, out: &mut SavedViews) {
            saved::save(self, out);
        }

        fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
            saved::restore(self, from)
        }
    };
}
pub(crate) use by_saved;

/// Names of types for session files: all that there is of one, and the function that names it.
macro_rules! named {
    ($($of:ty: $all:expr, $name:expr;)+) => {$(
        impl $crate::parts::kept::HasName for $of {
            fn all() -> impl Iterator<Item = $of> {
                $all.into_iter()
            }

            fn name(self) -> std::borrow::Cow<'static, str> {
                $name(self).into()
            }
        }
    )+};
}
pub(crate) use named;

/// The next of all that there is, the first behind the last.
pub(crate) fn next<T: HasName + PartialEq>(of: T) -> T {
    let mut all = T::all().chain(T::all()).skip_while(|it| *it != of);
    all.nth(1).unwrap_or(of)
}

/// A choice: what there is to choose, one a line, with the name that people and session files have for it, and where all have
/// one with a sentence about it.
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $of:ident {
        $($(#[$of_one:meta])* $one:ident = $title:literal, $about:literal;)+
    }) => {
        $crate::parts::kept::choices! {
            $(#[$meta])* $vis enum $of { $($(#[$of_one])* $one = $title;)+ }
        }

        impl $of {
            $vis fn about(self) -> &'static str {
                match self {
                    $($of::$one => $about,)+
                }
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $of:ident { $($(#[$of_one:meta])* $one:ident = $title:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $of {
            $($(#[$of_one])* $one,)+
        }

        impl $of {
            $vis const ALL: [$of; [$($title),+].len()] = [$($of::$one),+];

            /// As session files and people name it.
            $vis fn title(self) -> &'static str {
                match self {
                    $($of::$one => $title,)+
                }
            }
        }

        $crate::parts::kept::named! { $of: $of::ALL, $of::title; }
    };
}
pub(crate) use choices;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Kept {
        rows: u32,
        is_on: bool,
        by: Option<Named<bool>>,
    }

    impl Default for Kept {
        fn default() -> Kept {
            Kept {
                rows: 7,
                is_on: true,
                by: None,
            }
        }
    }

    choices! {
        #[derive(Default)]
        enum Way {
            #[default]
            Up = "up", "To the sky.";
            Down = "down", "To the ground.";
        }
    }

    #[test]
    fn choices_have_names_and_go_round() {
        assert_eq!(Way::ALL.map(Way::title), ["up", "down"]);
        assert_eq!(Way::ALL.map(next), [Way::Down, Way::Up]);
        assert_eq!(Way::default().about(), "To the sky.");
    }

    named! { bool: [true, false], |it| if it { "yes" } else { "no" }; }

    #[test]
    fn fields_that_do_not_fit_are_counted_and_the_others_kept() {
        let kept = Kept {
            rows: 3,
            is_on: false,
            by: Some(Named(false)),
        };
        let mut out = Map::new();
        put(&kept, &mut out);
        assert_eq!(
            Value::Object(out.clone()).to_string(),
            r#"{"by":"no","is_on":false,"rows":3}"#
        );
        assert_eq!(read(&out), (kept, 0));
        out.insert("rows".to_owned(), "many".into());
        out.insert("by".to_owned(), "chance".into());
        out.insert("of another view".to_owned(), 1.into());
        let rest = Kept {
            is_on: false,
            ..Kept::default()
        };
        assert_eq!(read(&out), (rest, 2));
        out.insert("is_on".to_owned(), Value::Null);
        assert_eq!(read(&out), (Kept::default(), 2));
        assert_eq!(read::<Kept>(&Map::new()), (Kept::default(), 0));
    }
}
