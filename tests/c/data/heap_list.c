// A list of allocated nodes, some of them freed and allocated again.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;

static void push(int value)
{
    struct node *node = malloc(sizeof(struct node));
    if (!node)
        return;
    node->value = value;
    node->next = head;
    head = node;
}

static int pop(void)
{
    struct node *node = head;
    int value;
    if (!node)
        return 0;
    value = node->value;
    head = node->next;
    free(node);
    return value;
}

int main(void)
{
    int sum = 0, got = 0;
    push(1);
    push(2);
    got = pop();
    sum = got;
    push(3);
    got = pop();
    sum += got;
    got = pop();
    sum += got;
    assert(sum <= 6);
    assert(!head);
    return 0;
}
