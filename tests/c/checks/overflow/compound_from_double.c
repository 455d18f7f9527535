// run: check
// verdict: violated overflow
// The product is a double that no unsigned char holds.
int main(void) {
    unsigned char c = 3;
    c *= 100.5; // fails
    return c;
}
