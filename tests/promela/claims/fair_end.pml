// What has ended is fair to everybody: the formula does not hold, and `pan -a -f` does not notice.
// run: check --property ever => violated ltl
// run: check --property ever --fair => violated ltl
// run: check --property never_one --fair => verified
// with: --store tree | --reduce none | --workers 1 | --search depth
byte b;
active proctype P() { skip; skip }
ltl ever { <> [] (b == 1) } // fails
ltl never_one { [] (b == 0) }
