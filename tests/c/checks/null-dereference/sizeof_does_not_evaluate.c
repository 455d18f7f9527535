// run: check
// verdict: verified
// The operand of sizeof is not evaluated.
int main(void) {
    int *p = 0;
    return sizeof *p == sizeof(int) ? 0 : 1;
}
