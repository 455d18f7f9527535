// A range without an end is refused: no search can go through it.
// run: check
// exit: 2
// stderr: the range of `i` is not bounded
int a[4];

int main(void) {
    __CPROVER_assert(__CPROVER_forall { int i; 0 <= i ==> a[0] == 0 }, "open");
    return 0;
}
