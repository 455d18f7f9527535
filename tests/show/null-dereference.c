// A search that finds nothing returns a null pointer.
// run: check
#include <stddef.h>

struct entry {
    int key;
    struct entry *next;
};

static struct entry *find(struct entry *list, int key)
{
    while (list != NULL && list->key != key)
        list = list->next;
    return list;
}

int main(void)
{
    struct entry second = {2, NULL};
    struct entry first = {1, &second};
    return find(&first, 3)->key;
}
