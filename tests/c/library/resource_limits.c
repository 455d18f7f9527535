// Nothing is limited, and the answer needs a place.
// run: check
// verdict: violated null-dereference
// assumption: resources of the process are not limited
#include <assert.h>
#include <sys/resource.h>

int main(void)
{
    struct rlimit limit;
    assert(getrlimit(RLIMIT_STACK, &limit) == 0);
    assert(limit.rlim_cur == RLIM_INFINITY && limit.rlim_max == RLIM_INFINITY);
    return getrlimit(RLIMIT_NOFILE, 0); // fails
}
