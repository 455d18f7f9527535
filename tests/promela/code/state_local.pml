// c_state: data of C in each process, with a first value, gone with the process.
// run: check --reduce none
// verdict: verified
// states: 30
c_state "int mine" "Local P" "3"
byte ended;
proctype P(byte n) { c_code { PP->mine += PP->n; }; atomic { assert(c_expr { PP->mine == 3 + PP->n }); ended++ } }
init { run P(1); run P(2); (_nr_pr == 1); assert(ended == 2); run P(7); (_nr_pr == 1); assert(ended == 3) }
