//! header: CBMC
// Questions and orders in the vocabulary of CBMC about the object that a pointer points into.
typedef __typeof__(sizeof 0) size_t;

// Bytes up to the end of the object, or this if there is none.
static const size_t nothing = (size_t)-1;

// Where the object begins; the pointer itself if it is inside none.
static char *start_of(const void *p) {
    char *first = (char *)p;
    if (__unpick_object_size(first) == nothing) return first;
    while (__unpick_object_size(first - 1) != nothing) first--;
    return first;
}

/// __CPROVER_r_ok: exact — whether so many bytes can be read there; without a number, the object that the pointer's type says
_Bool __CPROVER_r_ok(const void *p, size_t n) {
    size_t rest = __unpick_object_size(p);
    return rest != nothing && n <= rest;
}

/// __CPROVER_w_ok: exact — the same for writing
_Bool __CPROVER_w_ok(const void *p, size_t n) {
    size_t rest = __unpick_object_size(p);
    return rest != nothing && n <= rest && (n == 0 || __unpick_writable(p) != 0);
}

/// __CPROVER_rw_ok: exact — the same for both
_Bool __CPROVER_rw_ok(const void *p, size_t n) { return __CPROVER_w_ok(p, n); }

/// __CPROVER_havoc_object: exact — every byte of the object that the pointer points into becomes any value
void __CPROVER_havoc_object(void *p) {
    __unpick_atomic_begin();
    if (__unpick_object_size(p) == nothing) __unpick_fail("out-of-bounds", "there is no object to make unknown");
    char *first = start_of(p);
    __unpick_memany(first, __unpick_object_size(first));
    __unpick_atomic_end();
}

/// __CPROVER_POINTER_OFFSET: exact — bytes from the start of the object; 0 if there is none
size_t __CPROVER_POINTER_OFFSET(const void *p) { return (size_t)((char *)p - start_of(p)); }

/// __CPROVER_OBJECT_SIZE: exact — bytes of the whole object; 0 if there is none
size_t __CPROVER_OBJECT_SIZE(const void *p) {
    char *first = start_of(p);
    size_t size = __unpick_object_size(first);
    return size == nothing ? 0 : size;
}

/// __CPROVER_same_object: exact — whether two pointers point into one object
_Bool __CPROVER_same_object(const void *p, const void *q) { return start_of(p) == start_of(q); }

/// __CPROVER_allocate: exact — a new object on the heap, zero or indeterminate
void *__CPROVER_allocate(size_t n, _Bool zero) {
    return zero ? __unpick_alloc(n, 16, 1) : __unpick_alloc(n, 16, 0);
}
