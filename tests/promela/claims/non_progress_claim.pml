// np_ in a claim is what -l looks for.
// run: check --property never_0 => violated ltl
byte x;
active proctype one() { progress: x = 1; do :: x = 2 od }
never { do :: true :: np_ -> break od; accept: do :: np_ od } // fails
