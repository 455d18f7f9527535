// A pointer leaves the field that it points to. In the model nothing lies there, which is an error; the program is asked,
// and knows better.
// run: check
// verdict: verified
// run: check --tabled => unknown
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
