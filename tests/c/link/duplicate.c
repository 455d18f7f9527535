// Two definitions of one function are an error that shows both places.
// run: check
// files: duplicate_too.c
// exit: 2
// stderr: duplicate.c:7
// stderr: duplicate_too.c:1
int twice(int x) { return 2 * x; }
int main(void) { return twice(0); }
