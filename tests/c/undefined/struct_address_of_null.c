// `&*p` reads nothing, nor does a struct variable that is only mentioned.
// run: check
// verdict: verified
struct pair {
    int a, b;
};

int main(void) {
    struct pair *p = 0, there;
    (void)&*p;
    (void)there;
    p = &there;
    *p;
    return 0;
}
