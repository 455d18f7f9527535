// Five blocks at a time are more than a model has room for, which is no mistake of the program.
// run: check
// verdict: verified
// run: check --tabled --data c => unknown more blocks
#include <assert.h>
#include <stdlib.h>

struct block {
    struct block *next;
    int number;
};

static struct block *first;

int main(void)
{
    int i;
    for (i = 0; i < 5; i++) {
        struct block *block = malloc(sizeof(struct block));
        if (!block)
            return 0;
        block->number = i;
        block->next = first;
        first = block;
    }
    assert(first->number == 4);
    return 0;
}
