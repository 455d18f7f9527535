// run: check
// verdict: violated overflow
// Unsigned shorts are multiplied as ints.
int main(void) {
    unsigned short a = 65535;
    unsigned x = a * a; // fails
    return x == 1;
}
