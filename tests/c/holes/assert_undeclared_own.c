// An `assert` that the file defines behind its first use is that function, whatever the library has.
// run: check
// verdict: verified
static int n_calls;

int main(void) {
    assert(0);
    assert(1);
    return n_calls == 2 ? 0 : *(int *)0;
}

int assert(int claim) {
    n_calls++;
    return claim;
}
