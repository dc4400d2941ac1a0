//! The page that plays: what the browser calls. Empty elsewhere.
