static int table[4] = {1, 2, 3};
int next(int n);
static void *jump(int n) {
  switch (n) { case 1: case 2 ... 5: n++; break; default: if (n > 9) goto out; else return 0; case 0: ; }
  for (int i = 0, j = 10; i < j; i++, --j) { if (i == 3) continue; n += table[i & 3]; }
  do { n--; } while (n > 0);
  while (1) { if (!next(n)) break; }
out:
  return &table[n % 4];
}
int main(int argc, char **argv) { return jump(argc) ? argv[0][0] : 1; }
