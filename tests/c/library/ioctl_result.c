// A device answers anything through a pointer; a number handed to it is left alone.
// run: check
// verdict: violated out-of-bounds
#include <sys/ioctl.h>

int main(void) {
    static char columns[80];
    struct winsize size;
    ioctl(1, TCFLSH, 0);
    if (ioctl(1, TIOCGWINSZ, &size) != 0) return 1;
    if (size.ws_col > 80) return 1;
    return columns[size.ws_col]; // fails
}
