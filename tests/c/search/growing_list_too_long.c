// The same list, and the last node of it was not expected.
// run: check --property assertion --workers 1 --memory 500M
// verdict: violated assertion
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
        assert(first->value < 19999); // fails
        if (__VERIFIER_nondet_int())
            return 0;
    }
    return 0;
}
