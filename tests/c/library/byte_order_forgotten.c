// A port that was not converted back.
// run: check
// verdict: violated assertion
#include <arpa/inet.h>
#include <assert.h>

int main(void) {
    unsigned short port = htons(80);
    assert(port == 80); // fails
    return 0;
}
