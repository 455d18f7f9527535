//! header: setjmp.h
// Calls of setjmp are instructions of their callers; what is left here is a call through a pointer.

/// setjmp: exact — as a call by name; the signal mask is not kept
int setjmp(void *place) {
    (void)place;
    __unpick_unmodelled("setjmp called through a pointer");
    return 0;
}

/// _setjmp: exact — as setjmp
int _setjmp(void *place) {
    (void)place;
    __unpick_unmodelled("setjmp called through a pointer");
    return 0;
}

/// __sigsetjmp: exact — as setjmp
int __sigsetjmp(void *place, int is_saving) {
    (void)place, (void)is_saving;
    __unpick_unmodelled("setjmp called through a pointer");
    return 0;
}

/// longjmp: exact — into functions that have not returned; locals keep the values they have
void longjmp(void *place, int value) {
    __unpick_long_jump(place, value);
}

/// _longjmp: exact — as longjmp
void _longjmp(void *place, int value) {
    __unpick_long_jump(place, value);
}

/// siglongjmp: exact — as longjmp
void siglongjmp(void *place, int value) {
    __unpick_long_jump(place, value);
}
