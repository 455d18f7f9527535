//! header: time.h
// Clocks show any time; the calendar is computed. Local time is UTC.
typedef __typeof__(sizeof 0) size_t;
typedef long time_t;

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    long tv_usec;
};

int *__errno_location(void);
int snprintf(char *restrict buffer, size_t size, const char *restrict format, ...);

static long any_below(long limit) {
    long n = __VERIFIER_nondet_long();
    __VERIFIER_assume(n >= 0);
    __VERIFIER_assume(n < limit);
    return n;
}

static time_t any_time(void) {
    __unpick_note("clocks may show any time from 1970 to 2037");
    return any_below(2145916800);
}

/// time: any value — from 1970 to 2037
time_t time(time_t *place) {
    time_t now = any_time();
    if (place) *place = now;
    return now;
}

/// clock: any value
long clock(void) { return any_time(); }

/// clock_gettime: any value
int clock_gettime(int id, struct timespec *place) {
    (void)id;
    place->tv_sec = any_time();
    place->tv_nsec = any_below(1000000000);
    return 0;
}

/// clock_getres: exact
int clock_getres(int id, struct timespec *place) {
    (void)id;
    if (place) {
        place->tv_sec = 0;
        place->tv_nsec = 1;
    }
    return 0;
}

/// timespec_get: any value
int timespec_get(struct timespec *place, int base) {
    clock_gettime(0, place);
    return base;
}

/// gettimeofday: any value
int gettimeofday(struct timeval *restrict place, void *restrict zone) {
    (void)zone;
    if (place) {
        place->tv_sec = any_time();
        place->tv_usec = any_below(1000000);
    }
    return 0;
}

/// nanosleep: exact — returns at once, never interrupted
int nanosleep(const struct timespec *wanted, struct timespec *left) {
    long seconds = wanted->tv_sec;
    (void)seconds, (void)left;
    return 0;
}

/// difftime: exact
double difftime(time_t late, time_t early) { return (double)late - (double)early; }

static long long days_before_year(long long year) {
    long long y = year - 1;
    long long fours = y >= 0 ? y / 4 : -((3 - y) / 4);
    long long centuries = y >= 0 ? y / 100 : -((99 - y) / 100);
    long long cycles = y >= 0 ? y / 400 : -((399 - y) / 400);
    return 365 * y + fours - centuries + cycles - 719162;
}

static int is_leap(long long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static const short days_before_month[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static int days_before(int month, long long year) { return days_before_month[month] + (month > 1 && is_leap(year)); }

/// gmtime_r: exact
struct tm *gmtime_r(const time_t *restrict place, struct tm *restrict out) {
    long long time = *place, days = time / 86400, rest = time % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    long long year = 1970 + days / 366;
    if (days < 0) year = 1970 + (days - 364) / 365;
    while (days_before_year(year + 1) <= days) year++;
    int day = (int)(days - days_before_year(year)), month = 0;
    while (days_before(month + 1, year) <= day) month++;
    out->tm_sec = (int)(rest % 60);
    out->tm_min = (int)(rest / 60 % 60);
    out->tm_hour = (int)(rest / 3600);
    out->tm_mday = day - days_before(month, year) + 1;
    out->tm_mon = month;
    out->tm_year = (int)(year - 1900);
    out->tm_wday = (int)((days % 7 + 11) % 7);
    out->tm_yday = day;
    out->tm_isdst = 0;
    out->tm_gmtoff = 0;
    out->tm_zone = "GMT";
    return out;
}

static struct tm shared_tm;

/// gmtime: exact
struct tm *gmtime(const time_t *place) { return gmtime_r(place, &shared_tm); }

/// localtime_r: bounded — local time is UTC
struct tm *localtime_r(const time_t *restrict place, struct tm *restrict out) {
    __unpick_note("local time is UTC");
    gmtime_r(place, out);
    out->tm_zone = "UTC";
    return out;
}

/// localtime: bounded — local time is UTC
struct tm *localtime(const time_t *place) { return localtime_r(place, &shared_tm); }

/// timegm: exact
time_t timegm(struct tm *tm) {
    long long month = tm->tm_mon % 12, year = 1900LL + tm->tm_year + tm->tm_mon / 12;
    if (month < 0) {
        month += 12;
        year--;
    }
    long long days = days_before_year(year) + days_before((int)month, year) + tm->tm_mday - 1LL;
    time_t time = (time_t)(((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec);
    gmtime_r(&time, tm);
    return time;
}

/// mktime: bounded — local time is UTC
time_t mktime(struct tm *tm) {
    time_t time = timegm(tm);
    __unpick_note("local time is UTC");
    tm->tm_zone = "UTC";
    return time;
}

/// tzset: exact
void tzset(void) {}

static const char *const day_names[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const month_names[12] = {"January", "February", "March",     "April",   "May",      "June",
                                            "July",    "August",   "September", "October", "November", "December"};

/// asctime_r: exact
char *asctime_r(const struct tm *restrict tm, char *restrict out) {
    snprintf(out, 26, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day_names[tm->tm_wday], month_names[tm->tm_mon], tm->tm_mday,
             tm->tm_hour, tm->tm_min, tm->tm_sec, 1900 + tm->tm_year);
    return out;
}

/// asctime: exact
char *asctime(const struct tm *tm) {
    static char shared_text[26];
    return asctime_r(tm, shared_text);
}

/// ctime: bounded — local time is UTC
char *ctime(const time_t *place) { return asctime(localtime(place)); }

/// ctime_r: bounded — local time is UTC
char *ctime_r(const time_t *place, char *out) {
    struct tm tm;
    return asctime_r(localtime_r(place, &tm), out);
}

// The year that the ISO week belongs to, and the week in it.
static int iso_week(const struct tm *tm, long long *year) {
    *year = 1900LL + tm->tm_year;
    int weekday = (tm->tm_wday + 6) % 7, week = (tm->tm_yday - weekday + 10) / 7;
    if (week < 1) {
        --*year;
        int yesterday = tm->tm_yday + 365 + is_leap(*year);
        return (yesterday - weekday + 10) / 7;
    }
    if (week == 53 && tm->tm_yday - weekday + 3 >= 365 + is_leap(*year)) {
        ++*year;
        return 1;
    }
    return week;
}

static int put_number(char *out, int digits, int pad, long long value) {
    if (pad == '_') return snprintf(out, 32, "%*lld", digits, value);
    return snprintf(out, 32, "%.*lld", digits, value);
}

// Only what a conversion needs is read: the other members may be indeterminate.
static long long year_of(const struct tm *tm) { return 1900LL + tm->tm_year; }

static int half_hour_of(const struct tm *tm) { return tm->tm_hour % 12 == 0 ? 12 : tm->tm_hour % 12; }

// One conversion into `out` (64 bytes); its length.
static int put_field(char *out, char conversion, const struct tm *tm) {
    long long week_year;
    switch (conversion) {
    case 'a': return snprintf(out, 64, "%.3s", day_names[tm->tm_wday]);
    case 'A': return snprintf(out, 64, "%s", day_names[tm->tm_wday]);
    case 'b':
    case 'h': return snprintf(out, 64, "%.3s", month_names[tm->tm_mon]);
    case 'B': return snprintf(out, 64, "%s", month_names[tm->tm_mon]);
    case 'c':
        return snprintf(out, 64, "%.3s %.3s %2d %.2d:%.2d:%.2d %lld", day_names[tm->tm_wday], month_names[tm->tm_mon],
                        tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec, year_of(tm));
    case 'C': return put_number(out, 2, '0', year_of(tm) / 100);
    case 'd': return put_number(out, 2, '0', tm->tm_mday);
    case 'D':
    case 'x': return snprintf(out, 64, "%.2d/%.2d/%.2d", tm->tm_mon + 1, tm->tm_mday, (int)(year_of(tm) % 100));
    case 'e': return put_number(out, 2, '_', tm->tm_mday);
    case 'F': return snprintf(out, 64, "%lld-%.2d-%.2d", year_of(tm), tm->tm_mon + 1, tm->tm_mday);
    case 'g': iso_week(tm, &week_year); return put_number(out, 2, '0', week_year % 100);
    case 'G': iso_week(tm, &week_year); return put_number(out, 1, '0', week_year);
    case 'H': return put_number(out, 2, '0', tm->tm_hour);
    case 'I': return put_number(out, 2, '0', half_hour_of(tm));
    case 'j': return put_number(out, 3, '0', tm->tm_yday + 1);
    case 'k': return put_number(out, 2, '_', tm->tm_hour);
    case 'l': return put_number(out, 2, '_', half_hour_of(tm));
    case 'm': return put_number(out, 2, '0', tm->tm_mon + 1);
    case 'M': return put_number(out, 2, '0', tm->tm_min);
    case 'n': return snprintf(out, 64, "\n");
    case 'p': return snprintf(out, 64, tm->tm_hour < 12 ? "AM" : "PM");
    case 'P': return snprintf(out, 64, tm->tm_hour < 12 ? "am" : "pm");
    case 'r':
        return snprintf(out, 64, "%.2d:%.2d:%.2d %s", half_hour_of(tm), tm->tm_min, tm->tm_sec, tm->tm_hour < 12 ? "AM" : "PM");
    case 'R': return snprintf(out, 64, "%.2d:%.2d", tm->tm_hour, tm->tm_min);
    case 'S': return put_number(out, 2, '0', tm->tm_sec);
    case 't': return snprintf(out, 64, "\t");
    case 'T':
    case 'X': return snprintf(out, 64, "%.2d:%.2d:%.2d", tm->tm_hour, tm->tm_min, tm->tm_sec);
    case 'u': return put_number(out, 1, '0', tm->tm_wday == 0 ? 7 : tm->tm_wday);
    case 'U': return put_number(out, 2, '0', (tm->tm_yday - tm->tm_wday + 7) / 7);
    case 'V': return put_number(out, 2, '0', iso_week(tm, &week_year));
    case 'w': return put_number(out, 1, '0', tm->tm_wday);
    case 'W': return put_number(out, 2, '0', (tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7);
    case 'y': return put_number(out, 2, '0', year_of(tm) % 100);
    case 'Y': return put_number(out, 1, '0', year_of(tm));
    case 'z': return snprintf(out, 64, "+0000");
    case 'Z': return snprintf(out, 64, "%s", tm->tm_zone ? tm->tm_zone : "");
    case '%': return snprintf(out, 64, "%%");
    default: __unpick_unmodelled("an unknown strftime conversion"); return 0;
    }
}

/// strftime: exact — in the C locale and UTC
size_t strftime(char *restrict to, size_t room, const char *restrict format, const struct tm *restrict tm) {
    size_t n = 0;
    for (; *format; format++) {
        char field[64];
        int length = 1;
        field[0] = *format;
        if (*format == '%') {
            format++;
            if (*format == 'E' || *format == 'O') format++;
            length = put_field(field, *format, tm);
        }
        if (n + (size_t)length >= room) return 0;
        if (length != 0) __unpick_memcpy(to + n, field, (size_t)length);
        n += (size_t)length;
    }
    if (n >= room) return 0;
    to[n] = 0;
    return n;
}
