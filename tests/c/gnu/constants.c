// What gcc takes for constants: lock freedom, compatible types, sizes of assignments to bit-fields.
// run: check
// verdict: verified
#include <assert.h>

enum positive { A, B };
enum negative { M = -1 };
struct fields {
    int a : 3;
    unsigned b : 9, c : 17;
    long d : 33;
} fields;

_Static_assert(__atomic_always_lock_free(4, 0), "");
_Static_assert(__atomic_always_lock_free(sizeof(long), (void *)0), "");
_Static_assert(!__atomic_always_lock_free(3, 0), "");
_Static_assert(__builtin_types_compatible_p(enum positive, unsigned), "");
_Static_assert(__builtin_types_compatible_p(enum negative, int), "");
_Static_assert(!__builtin_types_compatible_p(enum positive, int), "");
_Static_assert(!__builtin_types_compatible_p(enum positive, enum negative), "");
_Static_assert(__builtin_types_compatible_p(enum positive *, unsigned *), "");
_Static_assert(sizeof(fields.a = 1) == 1 && sizeof(++fields.b) == 2 && sizeof(0, fields.c) == 4, "");
_Static_assert(sizeof(fields.d += 1) == 8 && sizeof(fields.a + 0) == sizeof(int), "");

int main(void) {
    assert(fields.a == 0 && __atomic_is_lock_free(8, 0) && !__atomic_is_lock_free(24, 0));
    return 0;
}
