//! Views as scenes name them: by the ids of the registry.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{self, EnumAccess, VariantAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use callscape_state::panes::ViewId;
use callscape_views as views;

/// A view by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ViewName(pub ViewId);

/// The ids of all views.
static IDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| views::all().into_iter().map(ViewId::id).collect());

impl Serialize for ViewName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.id())
    }
}

impl<'de> Deserialize<'de> for ViewName {
    // As one of several names and not as any text, so that an error lists what there is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ViewName, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = ViewName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a view")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, of: A) -> Result<ViewName, A::Error> {
                let (id, nothing) = of.variant::<String>()?;
                let view = views::named(&id);
                let view = view.ok_or_else(|| de::Error::unknown_variant(&id, &IDS))?;
                nothing.unit_variant()?;
                Ok(ViewName(view))
            }
        }
        deserializer.deserialize_enum("View", &IDS, Visitor)
    }
}
