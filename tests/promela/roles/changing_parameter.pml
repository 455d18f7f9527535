// A parameter that is written to is no constant: who has it touches one element after the other.
// states: 82
byte u[3];
proctype Walks(byte me) { do :: me < 2 -> u[me] = 1 + u[2 - me]; me++ :: else -> break od; u[me] = 7 }
init { atomic { run Walks(0); run Walks(1) } }
