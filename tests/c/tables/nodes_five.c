// Five nodes at a time are more than a model has room for: nothing is said of what comes after the fourth.
// run: check
// verdict: verified
// run: check --tabled => unknown more blocks
// run: check --tabled --property end-state => unknown more blocks
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int number;
};

static struct node *first;

int main(void)
{
    int i;
    for (i = 0; i < 5; i++) {
        struct node *node = malloc(sizeof(struct node));
        if (!node)
            return 0;
        node->number = i;
        node->next = first;
        first = node;
    }
    assert(first->number == 4);
    return 0;
}
