#define NONE
typedef int v4 __attribute__((aligned(16)));
static inline __attribute__((always_inline, unused)) int max(int a, int b) { return ({ __auto_type x = a; typeof(b) y = b; x > y ? x : y; }); }
extern int weak_one(void) __attribute__((weak, alias("max")));
int main(void) {
  __label__ l; void *t[] = {&&l, &&m}; int n = 3, vla[n]; __extension__ long long q = n ?: 4; unsigned __int128 w = q;
  if (__builtin_expect(n == 3, 1)) goto *t[n & 1];
l: asm volatile("" ::: "memory"); int r; if (__builtin_add_overflow(n, 1, &r)) __builtin_trap();
m: vla[0] = __builtin_popcount(n) + __builtin_choose_expr(1, 2, "x") + __builtin_types_compatible_p(int, long);
  struct { int a[0]; char b; } z = {.b = 'c'}; char *s = __builtin_alloca(n); s[0] = z.b; __builtin_memcpy(s, "ab", 2);
  return max(vla[0], (int)w) + __builtin_constant_p(3) + s[1];
}
