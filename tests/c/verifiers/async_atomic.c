// The same with atomic sections: no update is lost, and no race remains.
// run: check
// verdict: verified
int x;

void add(int by) {
    __CPROVER_atomic_begin();
    int seen = x;
    x = seen + by;
    __CPROVER_assert(x == by || x == 3, "whole");
    __CPROVER_atomic_end();
}

int main(void) {
    __CPROVER_ASYNC_1: add(1);
    __CPROVER_ASYNC_2: {
        add(2);
    }
    return 0;
}
