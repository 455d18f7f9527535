// Any statement can run in a thread of its own; it has copies of the locals around it.
// run: check --property assertion
// verdict: violated assertion
int shared;

int main(void) {
    int mine = 3;
    __CPROVER_ASYNC_1: {
        int twice = 2 * mine;
        mine = 0;
        shared = twice;
    }
    __CPROVER_ASYNC_2: shared = 1;
    __CPROVER_assert(mine == 3, "the thread has its own");
    __CPROVER_assert(shared != 6, "both orders"); // fails
    return 0;
}
