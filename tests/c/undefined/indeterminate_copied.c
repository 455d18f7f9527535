// Copying an indeterminate value, and giving the copy a value before it is used, is no violation.
// run: check
// verdict: verified
int main(void) {
    int i, j;
    i = j;
    i = 1;
    i++;
    return i - 2;
}
