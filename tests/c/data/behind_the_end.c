// An element behind the end of an array is written; the model is looked at as C.
// run: check
// verdict: violated out-of-bounds
// run: check --tabled --data c
struct table {
    int used;
    int cells[3];
};

static struct table table;

static void put(struct table *to, int value)
{
    to->cells[to->used] = value; // fails
    to->used++;
}

int main(void)
{
    int i;
    for (i = 0; i < 4; i++)
        put(&table, i);
    return 0;
}
