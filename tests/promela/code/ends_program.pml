// C code that ends the program instead of itself.
// run: check
// verdict: unknown ends the program
active proctype P() { c_code { exit(3); } }
