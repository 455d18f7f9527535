// The hour is used and nobody has set it.
// run: check
// verdict: violated uninitialized
#include <time.h>

int main(void) {
    struct tm tm;
    tm.tm_year = 126;
    char text[20];
    return strftime(text, sizeof text, "%Y %H", &tm) == 0; // fails
}
