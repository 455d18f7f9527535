// The other file of `tables/same_type.c` and `tables/same_type_other_sum.c`.
typedef struct {
    int k;
} key;
struct pair {
    int a, b;
    struct pair *next;
};
struct hidden {
    int n;
};
static struct hidden the;

struct hidden *hide(void) {
    the.n = 1;
    return &the;
}

struct pair make(key k, struct hidden *h) {
    struct pair p = {k.k, h->n, 0};
    return p;
}
