// An intrinsic without a model that gives a vector ends in `unknown`, with its name.
// run: check
// verdict: unknown built-in function `__builtin_ia32_paddd128`
typedef int v4 __attribute__((vector_size(16)));
typedef long long m128i __attribute__((vector_size(16)));

static m128i add(m128i a, m128i b) { return (m128i)__builtin_ia32_paddd128((v4)a, (v4)b); }

int main(void) {
    v4 one = {1, 1, 1, 1};
    v4 sum = (v4)add((m128i)one, (m128i)one);
    return sum[0] - 2;
}
