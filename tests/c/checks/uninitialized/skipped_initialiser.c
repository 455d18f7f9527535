// run: check
// verdict: violated uninitialized
// A jump into a block makes its objects, but does not initialise them.
int main(void) {
    goto inside;
    {
        int x = 5;
    inside:
        if (x == 5) return 0; // fails
    }
    return 1;
}
