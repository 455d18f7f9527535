// Nobody but the claim looks at timeout: it is true all the same where nothing can move.
// run: check --property never_0 => violated ltl
byte x;
active proctype one() { x = 1; x == 2 }
never { do :: timeout -> break :: else od; accept: do :: true od } // fails
