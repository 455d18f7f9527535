// Formulas of the command line know the macros of the model.
// run: check --property assertion --ltl []<>zero => violated ltl
// run: check --property assertion --ltl [](zero->!one) => verified
#define zero (x == 0)
#define one (x == 1)
byte x;
active proctype count() { do :: x < 3 -> x++ :: x > 1 -> x-- od }
