// `*p;` reads the struct, so it has to be there.
// run: check
// verdict: violated null-dereference
struct pair {
    int a, b;
};

int main(void) {
    struct pair *p = 0;
    *p; // fails
    return 0;
}
