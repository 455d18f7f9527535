//! header: errno.h
// The error number, one for each thread.

static _Thread_local int error_number;

/// __errno_location: exact
int *__errno_location(void) { return &error_number; }

// A call of the system fails for whatever reason: interrupted, not now, no permission.
int __model_fail(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number >= 1);
    __VERIFIER_assume(number <= 133);
    error_number = number;
    return -1;
}

// Bytes arrive from outside: part of the room is filled with anything, or the call fails. The loop makes the number known
// in steps; the bytes stay open until somebody reads them.
__typeof__((char *)0 - (char *)0) __model_receive(void *bytes, __typeof__(sizeof 0) room) {
    long length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1);
    if (length == -1) return __model_fail();
    __typeof__(sizeof 0) n = 0;
    while (n < room && (long)n < length) n++;
    __VERIFIER_assume((long)n == length);
    if (n > 0) __unpick_memany(bytes, n);
    return (__typeof__((char *)0 - (char *)0))n;
}
