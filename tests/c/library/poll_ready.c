// Anything may be ready, or nothing; an interrupted call is one that fails.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <errno.h>
#include <poll.h>

int main(void) {
    struct pollfd sockets[2] = {{3, POLLIN, 0}, {4, POLLIN | POLLOUT, 0}};
    int n = poll(sockets, 2, 100);
    if (n < 0) {
        assert(errno != EINTR); // fails
        return 1;
    }
    assert(n <= 2);
    assert(n > 0 || !(sockets[0].revents & POLLIN));
    return 0;
}
