static count;
add(a, b) int a; char b; { return a + b; }
int (*choose(n))() int n; { return n ? add : 0; }
main() { register i; auto int j = 2; char *s = "x"; extern int printf(); printf("%d", add(1, *s)); return (*choose(1))(i = 1, j) + count; }
