//! Rows, figures and lists against a direct evaluation of the definitions, and the view on a recording made for it.

mod of_others;
mod of_rows;
mod of_view;
