// A send takes `else` away from a process that waits to receive: the order of the two matters.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan q = [1] of { byte };
active proctype P() { if :: q?_ :: else -> assert(false) fi } // fails
active proctype Q() { q!1 }
