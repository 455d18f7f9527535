//! header: errno.h
// The error number, one for each thread.

static _Thread_local int error_number;

/// __errno_location: exact
int *__errno_location(void) { return &error_number; }
