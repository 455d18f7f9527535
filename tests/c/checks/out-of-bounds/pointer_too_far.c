// run: check
// verdict: violated out-of-bounds
// Computing a pointer two past the end is undefined, even unused.
int main(void) {
    int a[4] = {0}, n = 5;
    int *p = &a[n]; // fails
    return p == a;
}
