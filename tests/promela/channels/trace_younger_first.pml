// Two messages on two channels may be sent in either order; the younger process must not be the first.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan one = [1] of { bool };
chan two = [1] of { bool };
notrace { two!true; one!true }
active proctype P() { one!true } // fails
active proctype R() { two!true }
active proctype Awake() { bool b; do :: b = !b od }
