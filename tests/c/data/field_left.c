// A pointer leaves the field that it points to; nothing lies there that the model could write, and it says so.
// run: check
// verdict: verified
// models: promela violated
struct pair {
    int left, right;
};

static struct pair pairs[2];

int main(void)
{
    int *field = &pairs[0].left;
    field++;
    *field = 1;
    return 0;
}
