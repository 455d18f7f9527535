// Two processes that wait for each other.
// states: 35
// invalid-ends: 1
bit a, b; byte c;
active proctype P() { atomic { !a -> a = 1 }; atomic { !b -> b = 1 }; c++; c--; b = 0; a = 0 }
active proctype Q() { atomic { !b -> b = 1 }; atomic { !a -> a = 1 }; c++; c--; a = 0; b = 0 }
