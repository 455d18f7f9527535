//! header: setjmp.h
// Non-local jumps have no model yet.

/// setjmp: unmodelled
int setjmp(void *place) {
    (void)place;
    __unpick_unmodelled("setjmp");
    return 0;
}

/// _setjmp: unmodelled
int _setjmp(void *place) {
    (void)place;
    __unpick_unmodelled("setjmp");
    return 0;
}

/// __sigsetjmp: unmodelled
int __sigsetjmp(void *place, int is_saving) {
    (void)place, (void)is_saving;
    __unpick_unmodelled("sigsetjmp");
    return 0;
}

/// longjmp: unmodelled
void longjmp(void *place, int value) {
    (void)place, (void)value;
    __unpick_unmodelled("longjmp");
}

/// _longjmp: unmodelled
void _longjmp(void *place, int value) {
    (void)place, (void)value;
    __unpick_unmodelled("longjmp");
}

/// siglongjmp: unmodelled
void siglongjmp(void *place, int value) {
    (void)place, (void)value;
    __unpick_unmodelled("siglongjmp");
}
