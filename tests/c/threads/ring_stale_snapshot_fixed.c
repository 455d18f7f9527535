// A ring that looks full to a stale snapshot is looked at once more: no value is refused, and nothing races.
// run: check
// verdict: verified
#define FIXED
#include "ring_stale_snapshot.c"
