// Different members of a structure and different elements of an array do not race.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static struct { char a, b; } pair;
static char letters[2];

static void *other_half(void *unused)
{
    pair.b = 2;
    letters[1] = 'b';
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, other_half, 0);
    pair.a = 1;
    letters[0] = 'a';
    pthread_join(other, 0);
    assert(pair.a == 1 && pair.b == 2 && letters[0] == 'a' && letters[1] == 'b');
    return 0;
}
