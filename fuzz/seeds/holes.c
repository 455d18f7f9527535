#include <missing.h>
uint32_t total; device_t *dev; struct unknown *later;
static handler_t handlers[3] = {0};
int run(state_t *s, size_t n) { s->mode = MODE_ON; if (read_reg(dev, 4) & FLAG) total += n; log_event("run", s); return undeclared + s->list.head->next->value; }
int main(void) { state_t s; return run(&s, 3) + later->size + (handlers[0] != 0); }
