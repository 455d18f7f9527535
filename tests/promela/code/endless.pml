// C code that does not end.
// run: check
// verdict: unknown does not come to an end
active proctype P() { c_code { for (;;) ; } }
