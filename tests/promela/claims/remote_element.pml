// A formula looks at one element of another process's array.
// run: check --property p => verified
// run: check --property q => violated ltl
active proctype P() { byte l[2]; l[0] = 1; l[0] = 0 }
ltl p { [] (P[0]:l[1] == 0) }
ltl q { [] (P[0]:l[0] == 0) } // fails
