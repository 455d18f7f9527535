// A turnstile is open only after a coin.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

enum state { LOCKED, OPEN, BROKEN };

int main(void)
{
    enum state state = LOCKED;
    int coins = 0, passes = 0;
    for (int i = 0; i < 6; i++) {
        unsigned event = __VERIFIER_nondet_uint();
        switch (state) {
        case LOCKED:
            if (event % 7 == 0) {
                coins++;
                state = OPEN;
            }
            break;
        case OPEN:
            if (event % 5 == 1) {
                passes++;
                state = LOCKED;
            }
            break;
        case BROKEN:
            assert(0);
        }
    }
    assert(passes <= coins && coins <= passes + 1);
    return 0;
}
