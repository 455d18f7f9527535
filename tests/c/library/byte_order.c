// Numbers in network order and back.
// run: check
// verdict: verified
#include <arpa/inet.h>
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    assert(ntohs(htons(80)) == 80);
    assert(htonl(0x01020304) == 0x04030201);
    unsigned port = __VERIFIER_nondet_uint();
    if (port < 100) assert(ntohl(htonl(port)) == port);
    return 0;
}
