// The level leaves its range for a moment.
// run: check --property leak --invariant level<=10
static int level = 8;

static void pump(int by)
{
    level = level + by;
}

int main(void)
{
    pump(1);
    pump(3);
    level = level - 4;
    return 0;
}
