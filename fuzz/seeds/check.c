typedef unsigned long size_t; void *malloc(size_t); void free(void *); void *memset(void *, int, size_t);
int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void reach_error(void); void abort(void);
struct list { int value; struct list *next; };
static struct list *push(struct list *head, int value) { struct list *node = malloc(sizeof *node); if (!node) abort(); node->value = value; node->next = head; return node; }
int main(void) {
  struct list *head = 0; int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 4);
  for (int i = 0; i < n; i++) head = push(head, i); int sum = 0; char buf[8]; memset(buf, 0, sizeof buf); volatile int v = n; v++;
  while (head) { struct list *next = head->next; sum += head->value; free(head); head = next; }
  if (sum > 6) reach_error(); __builtin_va_list ap; return sum / (n + 1) + buf[n] + v;
}
