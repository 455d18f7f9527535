// Two files write down the same types: they are the same, also as values.
// run: check --tabled --data c
// run: check
// files: ../link/same_type_too.c
// verdict: verified
#include <assert.h>

typedef struct {
    int k;
} key;
struct pair {
    int a, b;
    struct pair *next;
};
struct hidden;

struct pair make(key k, struct hidden *h);
struct hidden *hide(void);

int main(void) {
    key k = {3};
    struct pair p = make(k, hide());
    assert(p.a + p.b == 4);
    return 0;
}
