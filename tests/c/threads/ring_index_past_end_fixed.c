// Indices that are always valid make the ring of one producer and one consumer right, and free of data races.
// run: check
// verdict: verified
#define FIXED
#include "ring_index_past_end.c"
