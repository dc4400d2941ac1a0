//! What is open and what is shown of it, in pieces that know no window.

pub mod city;
