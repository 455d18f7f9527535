// A vector of four has no element 4.
// run: check
// verdict: violated out-of-bounds
typedef int v4 __attribute__((vector_size(16)));

int main(void) {
    v4 a = {1, 2, 3, 4};
    int sum = 0;
    for (int i = 0; i <= 4; i++)
        sum += a[i]; // fails
    return sum;
}
