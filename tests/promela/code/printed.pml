// What C code prints is told with its step.
// run: simulate
// exit: 0
// stdout: x is 7
byte x = 7;
active proctype P() { c_code { printf("x is %d\n", now.x); } }
