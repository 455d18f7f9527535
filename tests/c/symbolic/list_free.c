// Nodes are freed after their successor was read.
// run: check --engine sat
// verdict: verified
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
        head = old->next;
        free(old);
    }
    assert(!head);
    return 0;
}
