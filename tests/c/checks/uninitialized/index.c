// run: check
// verdict: violated uninitialized
// An array is indexed with an unset variable.
int main(void) {
    int table[4] = {1, 2, 3, 4}, i;
    int *p = &i;
    return table[*p]; // fails
}
