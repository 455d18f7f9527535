// What the model finds where it has no room any more is told if the program does it.
// run: check
// run: check --tabled
// verdict: violated assertion
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
        if (node) {
            node->number = i;
            node->next = first;
            first = node;
        }
        assert(i < 4); // fails
    }
    return 0;
}
