// One name with two types is an error.
// run: check
// files: conflict_too.c
// exit: 2
// stderr: conflict.c:7
// stderr: conflict_too.c:1
extern long value;
int main(void) { return (int)value; }
