// A message says how long its text is, and the reader believes it.
// run: check
// verdict: violated out-of-bounds
// assumption: what the program receives may be anything
#include <sys/socket.h>
#include <string.h>

struct message {
    unsigned char length;
    char text[7];
};

int main(void) {
    struct message message;
    char text[4] = "";
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || listen(listener, 1) < 0) return 1;
    int peer = accept(listener, 0, 0);
    if (peer < 0) return 1;
    if (recv(peer, &message, sizeof message, 0) != sizeof message) return 1;
    if (message.length > sizeof message.text) return 1;
    memcpy(text, message.text, message.length); // fails
    return text[0] == 'x';
}
