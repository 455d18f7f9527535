// run: check
// verdict: violated use-after-free
// The address of a local variable outlives its function.
static int *escape(void) {
    int local = 3;
    int *p = &local;
    return p;
}
int main(void) {
    int *p = escape();
    return *p; // fails
}
