// Two messages on two channels may be sent in either order; the older process must not be the first.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan one = [1] of { bool };
chan two = [1] of { bool };
notrace { one!true; two!true }
active proctype P() { one!true }
active proctype R() { two!true } // fails
