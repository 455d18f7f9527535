// run: check
// verdict: violated division-by-zero
// A quotient by a variable that is zero.
int main(void) {
    int x = 1, zero = 0;
    return x / zero; // fails
}
