// The repaired sibling: the value of the other thread is waited for, atomically.
// run: check --property assertion
// verdict: verified
int shared;

int main(void) {
    int mine = 3;
    __CPROVER_ASYNC_1: if (mine == 3) shared = 6;
    __CPROVER_assume(shared == 6);
    __CPROVER_assert(mine == 3 && shared == 6, "set");
    return 0;
}
