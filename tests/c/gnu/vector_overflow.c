// The third element overflows.
// run: check
// verdict: violated overflow
typedef int v4 __attribute__((vector_size(16)));

int main(void) {
    v4 a = {1, 2, 0x7fffffff, 4};
    a = a + 1; // fails
    return a[0];
}
