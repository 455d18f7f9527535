//! header: sys/prctl.h
// What a thread is called; everything else the call can do is without a model.

/// prctl: unmodelled — except to name the thread; the name is not kept
int prctl(int option, ...) {
    if (option != 15) {
        __unpick_unmodelled("prctl that does not name the thread");
        return -1;
    }
    __builtin_va_list arguments;
    __builtin_va_start(arguments, option);
    const char *name = __builtin_va_arg(arguments, const char *);
    __builtin_va_end(arguments);
    for (int length = 0; length < 15 && name[length]; length++)
        ;
    return 0;
}
