// run: check
// verdict: verified
// A quotient in sizeof is not computed.
int main(void) {
    int zero = 0;
    return sizeof(1 / zero) == sizeof(int) ? 0 : 1;
}
