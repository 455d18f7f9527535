// run: check
// verdict: violated out-of-bounds
// The classic off-by-one loop.
int main(void) {
    int a[4];
    for (int i = 0; i <= 4; i++)
        a[i] = i; // fails
    return a[0];
}
