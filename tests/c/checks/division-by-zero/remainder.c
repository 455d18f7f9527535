// run: check
// verdict: violated division-by-zero
// A remainder by zero.
int main(void) {
    unsigned x = 7, zero = 0;
    return (int)(x % zero); // fails
}
