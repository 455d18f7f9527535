// What races in a list is named from its head.
// run: check
// verdict: violated data-race
// stdout: of `list->next->values[1]` at
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int values[2];
};

static struct node *list;

static void *set(void *argument)
{
    struct node *second = argument;
    second->values[1] = 1; // fails
    return 0;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        struct node *node = calloc(1, sizeof *node);
        node->next = list;
        list = node;
    }
    pthread_t thread;
    pthread_create(&thread, 0, set, list->next);
    list->next->values[1] = 2; // fails
    pthread_join(thread, 0);
    return 0;
}
