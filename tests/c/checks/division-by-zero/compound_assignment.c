// run: check
// verdict: violated division-by-zero
// A compound division.
int main(void) {
    long x = 10;
    for (int i = 2; i >= 0; i--)
        x /= i; // fails
    return (int)x;
}
