// A thread that was joined holds nothing any more.
// run: check --property default,leak
// verdict: verified
#define FIXED
#include "freed_while_unlocking.c"
