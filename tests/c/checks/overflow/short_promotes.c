// run: check
// verdict: violated overflow
// Two unsigned shorts are multiplied as ints.
int main(void) {
    unsigned short x = 65535;
    unsigned product = x * x; // fails
    return product != 0;
}
