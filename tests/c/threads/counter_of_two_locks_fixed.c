// With one lock for the number of busy workers nobody waits for ever.
// run: check
// verdict: verified
#define FIXED
#include "counter_of_two_locks.c"
