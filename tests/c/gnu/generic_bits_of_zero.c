// Without a second argument zero has no leading zeros.
// run: check
// verdict: violated invalid-shift

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char byte = __VERIFIER_nondet_uchar();
    int with = __builtin_clzg(byte, 8);
    int without = __builtin_clzg(byte); // fails
    return with - without;
}
