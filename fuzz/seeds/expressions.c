int f(int, ...);
double g(double x) { return x * 1.5e3 / 2.0f - 0x1p-3L; }
int main(void) {
  unsigned char c = 200; short s = -1; long long ll = 1LL << 40; unsigned u = 5u;
  int a[3][4] = {{0}}, *p = a[1], (*row)[4] = a, (*fp)(int, ...) = f;
  c += s; u = ~u ^ ll >> 3; ll = c ? u : s; p = &row[1][2]; p++; --*p;
  s = (a[0] - p, sizeof a / sizeof *a); c = !s && ll || u;
  u <<= 3 % (s | 1); fp(1, 2.0, 'a', "x\n\x41\101", L'w'); g(u), g(1);
  return (int)(char)c + *(p - 1) + (p > a[0]) + (fp != 0) + 3[a[0]] + -s;
}
