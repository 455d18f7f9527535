// Only a thread's name is modelled.
// run: check
// verdict: unknown prctl that does not name the thread
#include <sys/prctl.h>

int main(void)
{
    return prctl(PR_SET_DUMPABLE, 0);
}
