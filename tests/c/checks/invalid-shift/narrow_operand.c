// run: check
// verdict: violated invalid-shift
// A char is shifted as an int, so 40 is too far.
int main(void) {
    unsigned char x = 1;
    int n = 40;
    unsigned long y = x << n; // fails
    return y != 0;
}
