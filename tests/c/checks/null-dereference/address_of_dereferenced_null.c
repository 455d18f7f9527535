// run: check
// verdict: verified
// &*p does not access p.
int main(void) {
    int *p = 0;
    int *q = &*p;
    return q != 0;
}
