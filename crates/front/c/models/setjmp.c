//! header: setjmp.h
// The first return of setjmp has a model, jumping back has none.

/// setjmp: bounded — returns 0; what jumps back is unmodelled
int setjmp(void *place) {
    (void)place;
    return 0;
}

/// _setjmp: bounded — as setjmp
int _setjmp(void *place) {
    (void)place;
    return 0;
}

/// __sigsetjmp: bounded — as setjmp
int __sigsetjmp(void *place, int is_saving) {
    (void)place, (void)is_saving;
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
