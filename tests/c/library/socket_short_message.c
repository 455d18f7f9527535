// Fewer bytes may arrive than were asked for.
// run: check
// verdict: violated uninitialized
#include <sys/socket.h>

int main(void) {
    unsigned char bytes[4];
    if (recv(3, bytes, sizeof bytes, 0) <= 0) return 1;
    return bytes[3] == 1; // fails
}
