// An unknown state that is renewed in every round gives a finite number of states.
// run: check
// verdict: verified
#include <assert.h>

struct state {
    int mode;
    unsigned char buffer[256];
    unsigned short length;
};

void poll_device(struct state *state);

static struct state state;
static unsigned total;

int main(void) {
    for (;;) {
        poll_device(&state);
        if (state.mode == 1 && state.length <= sizeof state.buffer) {
            assert(state.length <= 256);
            total = state.length;
        } else if (state.mode == 2) {
            total = 0;
        }
        assert(total <= 256);
    }
}
