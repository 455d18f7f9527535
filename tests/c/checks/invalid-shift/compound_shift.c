// run: check
// verdict: violated invalid-shift
// A compound shift in a loop goes one round too far.
int main(void) {
    unsigned x = 1;
    for (int i = 30; i <= 32; i++) {
        unsigned y = x;
        y <<= i; // fails
        if (y == 3) return 1;
    }
    return 0;
}
