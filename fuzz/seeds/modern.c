_Static_assert(sizeof(int) == 4);
[[nodiscard]] static int sq(int x) { return x * x; }
enum small : unsigned char { A, B = 0b101 };
_Thread_local int tls = 1; _Atomic int counter; static _Alignas(32) char buffer[1'000];
bool is(void) { return true; }
int main(void) {
  typeof(tls) n = _Generic(1.0f, float: 1, default: 2); void *p = nullptr; constexpr int k = 3; auto z = 1.0;
  struct { int a, b; } s = {}; const char8_t *t = u8"é"; _Complex double c = 1.0; counter++;
  for (enum small e = A; e < B; e++) n += sq(e); _Noreturn void stop(void);
  return n + (p == 0) + k + (int)z + s.a + t[0] + is();
}
