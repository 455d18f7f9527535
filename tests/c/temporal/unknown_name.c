// A proposition must speak of what the program declares.
// run: check --invariant conut==0
// exit: 2
// stderr: `conut` is not declared
int count;

int main(void) { return count; }
