// A struct of three bytes is not free of locks.
// run: check
// exit: 2
// stderr: static assertion failed
_Static_assert(__atomic_always_lock_free(3, 0), "");

int main(void) { return 0; }
