// run: check
// verdict: violated invalid-shift
// An int has 32 bits and cannot be shifted by 32.
int main(void) {
    unsigned x = 1;
    int n = 32;
    return (int)(x << n); // fails
}
