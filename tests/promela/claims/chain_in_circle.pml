// Steps that nobody else could disturb go round in a circle: the repetition is told once.
// run: check --property p => violated ltl
// stdout: "loop_start":2}
byte x, y;
active proctype Only() { x = 1; x = 2; do :: y = 1 - y od }
ltl p { <> (x == 3) } // fails
