// A send lets what stands behind `unless` take over: the order of the two matters.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan q = [1] of { byte };
active proctype P() { { assert(false) } unless { q?_ } } // fails
active proctype Q() { q!1 }
