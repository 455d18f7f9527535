// run: check
// verdict: violated invalid-shift
// A negative count.
int main(void) {
    int x = 8, n = -1;
    return x >> n; // fails
}
