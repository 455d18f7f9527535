// Names of the project's own that turn interrupts off and on; their bodies are not looked into.
// run: check --config own_names.toml
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
// assumption: `lock_all` is not looked into: assumed to turn interrupts off
#include <assert.h>

static volatile unsigned register_of_nothing;
static int shared;

void lock_all(void)
{
    register_of_nothing = 1;
}

void unlock_all(void)
{
    register_of_nothing = 0;
}

void handle(void)
{
    shared++;
}

int main(void)
{
    shared = 5;
    unlock_all();
    lock_all();
    int before = shared;
    assert(shared == before);
    return 0;
}
