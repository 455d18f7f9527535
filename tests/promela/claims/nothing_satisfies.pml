// What no execution satisfies is violated before the first step: such a claim accepts everything from its beginning on.
// run: check --property nothing => violated ltl
// run: check --property always_false => violated ltl
// run: check --property once_false => violated ltl
// run: check --property next_false => violated ltl
// run: check --property until_false => violated ltl
// run: check --property contradiction => violated ltl
// run: check --property nothing --fair => violated ltl
// run: check --property once_false --fair => violated ltl
// run: check --property tautology => verified
// run: check --property always_true --fair => verified
// with: --store tree | --reduce none | --workers 1 | --search depth
byte x;
active proctype count() { x = 1; x = 2 }
ltl nothing { false } // fails
ltl always_false { [] false } // fails
ltl once_false { <> false } // fails
ltl next_false { X false } // fails
ltl until_false { false U false } // fails
ltl contradiction { (x == 0) && !(x == 0) } // fails
ltl tautology { (x == 0) || !(x == 0) }
ltl always_true { [] true }
