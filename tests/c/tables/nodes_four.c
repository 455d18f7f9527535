// Four nodes at a time are as many as a model has room for, and a fifth takes the place of one that was freed.
// run: check
// run: check --tabled
// verdict: verified
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
    for (i = 0; i < 4; i++) {
        struct node *node = malloc(sizeof(struct node));
        if (!node)
            return 0;
        node->number = i;
        node->next = first;
        first = node;
    }
    struct node *last = first;
    first = last->next;
    free(last);
    last = malloc(sizeof(struct node));
    assert(last != NULL && first->number == 2);
    return 0;
}
