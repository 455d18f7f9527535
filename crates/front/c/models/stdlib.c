//! header: stdlib.h
// Integer arithmetic, sorting and searching.
typedef __typeof__(sizeof 0) size_t;

typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;

/// abs: exact
int abs(int n) { return n < 0 ? -n : n; }

/// labs: exact
long labs(long n) { return n < 0 ? -n : n; }

/// llabs: exact
long long llabs(long long n) { return n < 0 ? -n : n; }

/// div: exact
div_t div(int n, int by) {
    div_t result = {n / by, n % by};
    return result;
}

/// ldiv: exact
ldiv_t ldiv(long n, long by) {
    ldiv_t result = {n / by, n % by};
    return result;
}

/// lldiv: exact
lldiv_t lldiv(long long n, long long by) {
    lldiv_t result = {n / by, n % by};
    return result;
}

typedef int compare_with(const void *, const void *, void *);
typedef int compare(const void *, const void *);

// Sorts `n` elements at `base`, with `scratch` as room for as many.
static void merge_sort(char *base, size_t n, size_t size, compare_with *order, void *argument, char *scratch) {
    if (n < 2) return;
    size_t half = n / 2;
    char *right = base + half * size;
    merge_sort(base, half, size, order, argument, scratch);
    merge_sort(right, n - half, size, order, argument, scratch);
    size_t n_left = half, n_right = n - half;
    char *left = base, *out = scratch;
    while (n_left > 0 && n_right > 0) {
        if (order(left, right, argument) <= 0) {
            __unpick_memcpy(out, left, size);
            left += size;
            n_left--;
        } else {
            __unpick_memcpy(out, right, size);
            right += size;
            n_right--;
        }
        out += size;
    }
    if (n_left > 0) __unpick_memcpy(out, left, n_left * size);
    __unpick_memcpy(base, scratch, (n - n_right) * size);
}

/// qsort_r: exact — stable, as a merge sort in glibc's order of comparisons
void qsort_r(void *base, size_t n, size_t size, compare_with *order, void *argument) {
    if (n < 2 || size == 0) return;
    char *scratch = __unpick_alloc(n * size, 16, 0);
    merge_sort(base, n, size, order, argument, scratch);
    __unpick_free(scratch);
}

static int call_order(const void *a, const void *b, void *order) { return (*(compare **)order)(a, b); }

/// qsort: exact — stable, as a merge sort in glibc's order of comparisons
void qsort(void *base, size_t n, size_t size, compare *order) { qsort_r(base, n, size, call_order, &order); }

/// bsearch: exact
void *bsearch(const void *key, const void *base, size_t n, size_t size, compare *order) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *element = (const char *)base + middle * size;
        int sign = order(key, element);
        if (sign == 0) return (void *)element;
        if (sign < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return (void *)0;
}
