// A function that calls itself with pointers into a tree.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

struct tree {
    int value;
    struct tree *left, *right;
};

static struct tree leaf = { 1, 0, 0 }, other = { 2, 0, 0 };
static struct tree root = { 4, &leaf, &other };

static int sum(struct tree *tree)
{
    int left, right;
    if (!tree)
        return 0;
    left = sum(tree->left);
    right = sum(tree->right);
    return left + right + tree->value;
}

int main(void)
{
    int total = sum(&root);
    assert(total == 7);
    return 0;
}
