// A list grows with every choice: keys that name every object of it would take 500 MB, copies of the table of objects as
// much again.
// run: check --property assertion --workers 1 --memory 500M
// verdict: verified
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *previous;
    int value;
};

static struct node *first, *last;

int main(void)
{
    for (int i = 0; i < 20000; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            return 0;
        node->value = i;
        node->next = first;
        node->previous = NULL;
        if (first)
            first->previous = node;
        else
            last = node;
        first = node;
        assert(last->value == 0);
        if (__VERIFIER_nondet_int())
            return 0;
    }
    return 0;
}
