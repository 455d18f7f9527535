// The event library is not used by the hash table: memcached.h only needs a type of some size.
#ifndef STUB_EVENT_H
#define STUB_EVENT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    int unused;
};
struct event_base;

#endif
