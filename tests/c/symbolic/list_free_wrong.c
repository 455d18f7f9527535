// A node is read after it was freed.
// run: check --engine sat
// verdict: violated use-after-free
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 3; i++) {
        if (__VERIFIER_nondet_int() == 12345)
            continue;
        struct node *new = malloc(sizeof *new);
        new->value = i;
        new->next = head;
        head = new;
    }
    while (head) {
        struct node *old = head;
        free(old);
        head = old->next; // fails
    }
    assert(!head);
    return 0;
}
