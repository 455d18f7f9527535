// A call behind a label `__CPROVER_ASYNC_n` runs in a thread of its own.
// run: check --property assertion
// verdict: violated assertion
int x;

void add(int by) {
    int seen = x;
    x = seen + by;
}

int main(void) {
    __CPROVER_ASYNC_1: add(1);
    __CPROVER_ASYNC_2: add(2);
    __CPROVER_assume(x == 2);
    __CPROVER_assert(0, "an update is lost, or the second thread is first"); // fails
    return 0;
}
