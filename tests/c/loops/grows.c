// Unbounded growth ends in unknown and names the loop.
// run: check --time 3s
// verdict: unknown grows.c:11
#include <stdlib.h>
struct node { struct node *next; };

int main(void)
{
    struct node *list = NULL;
    /* every round makes the state larger */
    for (;;) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
}
