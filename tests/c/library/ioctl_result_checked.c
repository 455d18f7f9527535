// The same with the right limit.
// run: check
// verdict: verified
#include <sys/ioctl.h>

int main(void) {
    static char columns[80];
    struct winsize size;
    ioctl(1, TCFLSH, 0);
    if (ioctl(1, TIOCGWINSZ, &size) != 0) return 1;
    if (size.ws_col >= 80) return 1;
    return columns[size.ws_col];
}
