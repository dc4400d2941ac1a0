//! One file per view: what it shows, what it offers for selection, how it answers one.
