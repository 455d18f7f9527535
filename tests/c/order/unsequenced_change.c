// A variable that is changed twice without a sequence point: undefined in C, so the order that is followed is said.
// run: check
// verdict: verified
// assumption: `i` is changed and used without a sequence point between at
int main(void) {
    int i = 1, a[3] = {0, 0, 0};
    a[i] = i++;
    return a[0];
}
