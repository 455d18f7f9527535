// Nothing of the program runs any more when the status is used: the line is that of the return.
// run: check
// verdict: violated uninitialized
int main(void) {
    int x;
    return x; // fails
}
