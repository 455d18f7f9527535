// A list that is built from inputs has as many nodes as were added.
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
    int n = 0, m = 0;
    for (int i = 0; i < 4; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < 0)
            break;
        struct node *new = malloc(sizeof *new);
        new->value = x;
        new->next = head;
        head = new;
        n++;
    }
    for (struct node *p = head; p; p = p->next) {
        assert(p->value >= 0);
        m++;
    }
    assert(m == n);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
