// The same without the wrong claim; `select` beside it.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/select.h>

int main(void) {
    struct pollfd sockets[2] = {{3, POLLIN, 0}, {4, POLLIN | POLLOUT, 0}};
    int n = poll(sockets, 2, 100);
    if (n < 0) return errno == EINTR;
    assert(n <= 2);
    assert(n > 0 || !(sockets[0].revents & POLLIN));
    assert(!(sockets[0].revents & POLLOUT));
    fd_set reading;
    FD_ZERO(&reading);
    FD_SET(3, &reading);
    struct timeval limit = {1, 0};
    n = select(4, &reading, 0, 0, &limit);
    if (n < 0) return 1;
    assert(n == (FD_ISSET(3, &reading) != 0));
    return 0;
}
