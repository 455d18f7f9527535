// run: check
// verdict: violated out-of-bounds
// A negative index.
int main(void) {
    int a[4] = {0}, i = -1;
    return a[i]; // fails
}
