// The level leaves its range for a moment.
// run: check --property leak --invariant level<=10
static int level = 8;

int main(void)
{
    level = level + 4;
    level = level - 4;
    return 0;
}
