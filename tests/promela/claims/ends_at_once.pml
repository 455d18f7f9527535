// The shortest claims: one that ends after its first look, and one that accepts from the beginning and never ends.
// run: check --property passes => violated ltl
// run: check --property stays => violated ltl
// run: check --property waits => verified
// with: --store tree | --reduce none | --workers 1 | --search depth
byte x;
active proctype count() { x = 1; x = 2 }
never passes { accept: skip } // fails
never stays { accept: do :: skip od } // fails
never waits { accept: x == 5 }
