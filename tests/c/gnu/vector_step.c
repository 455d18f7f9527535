// What is not modelled of vectors is said.
// run: check
// verdict: unknown a step of a complex number or a vector
typedef int v4 __attribute__((vector_size(16)));

int main(void) {
    v4 a = {1, 2, 3, 4};
    a++;
    return a[0];
}
