// Only the members that the format uses are read.
// run: check
// verdict: verified
#include <assert.h>
#include <string.h>
#include <time.h>

int main(void) {
    struct tm tm;
    tm.tm_year = 126;
    tm.tm_mon = 10;
    char text[20];
    assert(strftime(text, sizeof text, "%Y-%m%%", &tm) == 8 && strcmp(text, "2026-11%") == 0);
    return 0;
}
