// Claims look at places, variables and what others could do.
// run: check --property at => verified
// run: check --property inside => verified
// run: check --property remote => verified
// run: check --property unreached => violated ltl
byte lock;
active [2] proctype user() {
    byte mine;
again:
    atomic { lock == 0 -> lock = 1 };
critical: mine = 1;
    mine = 0;
    lock = 0;
    goto again
}
ltl at { [](user[0]@critical -> lock == 1) }
ltl inside { []!(user[0]@critical && user[1]@critical) }
ltl remote { [](user[0]:mine == 1 -> lock == 1) }
ltl unreached { []!(user[1]@critical) } // fails
