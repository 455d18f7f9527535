// A pointer to constant says nothing of the object: this one may be written.
// run: check
// verdict: verified
static int limit = 5;
static const int *view = &limit;

int main(void) {
    *(int *)view = 6;
    return limit == 6 ? 0 : 1 / 0;
}
