// Macros that the ring buffer needs.
#ifndef STUB_UTIL_H
#define STUB_UTIL_H

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BIT(n) (1UL << (n))
#define BUILD_ASSERT(condition, ...) _Static_assert(condition, "" __VA_ARGS__)

static inline bool is_power_of_two(unsigned value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

#endif
