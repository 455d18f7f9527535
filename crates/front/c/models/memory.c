//! header: stdlib.h
// The allocation family. An object is as large as asked for, so the first byte behind it is out of bounds.
typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);

static const size_t largest = ~(size_t)0 >> 1;

static void *refuse(void) {
    *__errno_location() = 12;
    return (void *)0;
}

static int may_fail(void) { return __unpick_option("malloc-fails") && __VERIFIER_nondet_bool(); }

/// malloc: exact — fails only with `--malloc-fails`, or for sizes no object can have
void *malloc(size_t size) {
    if (size > largest || may_fail()) return refuse();
    return __unpick_alloc(size, 16, 0);
}

/// calloc: exact — fails as malloc does
void *calloc(size_t n, size_t size) {
    if (size != 0 && n > largest / size) return refuse();
    if (may_fail()) return refuse();
    return __unpick_alloc(n * size, 16, 1);
}

/// free: exact
void free(void *p) {
    if (p) __unpick_free(p);
}

/// cfree: exact
void cfree(void *p) { free(p); }

/// realloc: exact — always moves; fails as malloc does
void *realloc(void *p, size_t size) {
    if (!p) return malloc(size);
    size_t old = __unpick_object_size(p);
    if (size == 0 || old == ~(size_t)0) {
        // A pointer that is no live heap object is found here as well.
        __unpick_free(p);
        return (void *)0;
    }
    if (size > largest || may_fail()) return refuse();
    void *moved = __unpick_alloc(size, 16, 0);
    size_t kept = old < size ? old : size;
    if (kept != 0) __unpick_memcpy(moved, p, kept);
    __unpick_free(p);
    return moved;
}

/// reallocarray: exact
void *reallocarray(void *p, size_t n, size_t size) {
    if (size != 0 && n > largest / size) return refuse();
    return realloc(p, n * size);
}

/// reallocf: exact
void *reallocf(void *p, size_t size) {
    void *moved = realloc(p, size);
    if (!moved && size != 0) free(p);
    return moved;
}

// The alignment of an object is part of the program's text, so each power of two has its own allocation.
static void *aligned(size_t align, size_t size) {
    if (align <= 16) return __unpick_alloc(size, 16, 0);
    if (align <= 32) return __unpick_alloc(size, 32, 0);
    if (align <= 64) return __unpick_alloc(size, 64, 0);
    if (align <= 128) return __unpick_alloc(size, 128, 0);
    if (align <= 256) return __unpick_alloc(size, 256, 0);
    if (align <= 4096) return __unpick_alloc(size, 4096, 0);
    if (align <= 65536) return __unpick_alloc(size, 65536, 0);
    __unpick_unmodelled("an allocation aligned to more than 65536 bytes");
    return (void *)0;
}

/// memalign: exact
void *memalign(size_t align, size_t size) {
    if (size > largest || may_fail()) return refuse();
    return aligned(align, size);
}

/// aligned_alloc: exact
void *aligned_alloc(size_t align, size_t size) {
    if (align == 0 || (align & (align - 1)) != 0) {
        *__errno_location() = 22;
        return (void *)0;
    }
    return memalign(align, size);
}

/// valloc: exact
void *valloc(size_t size) { return memalign(4096, size); }

/// pvalloc: exact
void *pvalloc(size_t size) { return memalign(4096, (size + 4095) & ~(size_t)4095); }

/// posix_memalign: exact
int posix_memalign(void **place, size_t align, size_t size) {
    if (align < sizeof(void *) || (align & (align - 1)) != 0) return 22;
    if (size > largest || may_fail()) return 12;
    *place = aligned(align, size);
    return 0;
}

/// malloc_usable_size: bounded — the size asked for
size_t malloc_usable_size(void *p) { return p ? __unpick_object_size(p) : 0; }
