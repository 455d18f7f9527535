// What C23 code commonly uses.
// run: simulate
// like: cc
#include <stdbool.h>
#include <stdio.h>
_Static_assert(sizeof(int) == 4);
enum [[gnu::packed]] small { A, B, C };
[[maybe_unused]] static int unused(int) { return 1; }
[[noreturn]] static void never(void);
int main(void)
{
    bool flag = true;
    int mask = 0b1011;
    __typeof__(mask) other = mask << 1;
    int empty[3] = {};
    switch (other) {
    case 22:
        mask++;
        [[fallthrough]];
    case 23:
        mask++;
        break;
    }
label:
    if (mask++ < 15)
        goto label;
    printf("%d %d %d %zu %d\n", flag, mask, other, sizeof(enum small), empty[2]);
    return 0;
}
static void never(void) { for (;;) ; }
