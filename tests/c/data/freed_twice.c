// A block is freed twice.
// run: check
// verdict: violated double-free
// models: promela violated, c violated
#include <stdlib.h>

struct block {
    int size;
};

int main(void)
{
    struct block *block = malloc(sizeof(struct block));
    struct block *same = block;
    if (!block)
        return 0;
    block->size = 1;
    free(block);
    free(same); // fails
    return 0;
}
