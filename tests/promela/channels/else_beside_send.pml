// A receive takes `else` away from a process that waits to send: the order of the two matters.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan q = [1] of { byte };
active proctype P() { q!0; if :: q!1 :: else -> assert(false) fi } // fails
active proctype Q() { q?_ }
