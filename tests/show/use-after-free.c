// A list is freed while it is walked.
// run: check
#include <stdlib.h>

struct node {
    struct node *next;
};

static void drop(struct node *list)
{
    for (struct node *at = list; at; at = at->next)
        free(at);
}

int main(void)
{
    struct node *only = malloc(sizeof *only);
    only->next = NULL;
    drop(only);
    return 0;
}
