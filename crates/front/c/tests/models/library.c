// The rest of the library: sorting, random numbers with a seed, the calendar.
#define _GNU_SOURCE
#include "driver.h"

MODEL(qsort);
MODEL(bsearch);
MODEL(rand);
MODEL(srand);
MODEL(random);
MODEL(rand_r);
MODEL(drand48);
MODEL(lrand48);
MODEL(mrand48);
MODEL(srand48);
MODEL(gmtime);
MODEL(timegm);
MODEL(asctime);
MODEL(strftime);
MODEL(div);
MODEL(realloc);
MODEL(calloc);
MODEL(malloc);
MODEL(free);

struct item {
    int key, place;
};

static int n_compared;
static int by_key(const void *a, const void *b) {
    n_compared++;
    return (((const struct item *)a)->key > ((const struct item *)b)->key) -
           (((const struct item *)a)->key < ((const struct item *)b)->key);
}

static void sorting(void) {
    for (int round = 0; round < 2000; round++) {
        struct item ours[64], theirs[64];
        size_t n = random_bits() % 64;
        for (size_t i = 0; i < n; i++) {
            ours[i].key = (int)(random_bits() % 20), ours[i].place = (int)i;
            theirs[i] = ours[i];
        }
        n_compared = 0;
        model_qsort(ours, n, sizeof *ours, by_key);
        int n_ours = n_compared;
        n_compared = 0;
        qsort(theirs, n, sizeof *theirs, by_key);
        if (n_ours != n_compared || memcmp(ours, theirs, n * sizeof *ours) != 0) fail("qsort of %zu items", n);
        struct item key = {(int)(random_bits() % 22), 0};
        struct item *found = model_bsearch(&key, ours, n, sizeof *ours, by_key);
        if (found != bsearch(&key, ours, n, sizeof *ours, by_key)) fail("bsearch of %d", key.key);
    }
}

static void sequences(void) {
    for (int i = 0; i < 100; i++)
        if (model_rand() != rand()) fail("rand without a seed");
    for (unsigned seed = 0; seed < 300; seed++) {
        unsigned own = seed, their = seed;
        model_srand(seed * 77773), srand(seed * 77773);
        for (int i = 0; i < 50; i++)
            if (model_rand() != rand() || model_random() != random()) fail("rand after srand(%u)", seed);
        for (int i = 0; i < 20; i++)
            if (model_rand_r(&own) != rand_r(&their) || own != their) fail("rand_r(%u)", seed);
        model_srand48(seed * 12345), srand48(seed * 12345);
        for (int i = 0; i < 20; i++)
            if (model_drand48() != drand48() || model_lrand48() != lrand48() || model_mrand48() != mrand48())
                fail("drand48 after srand48(%u)", seed);
    }
}

static void calendar(void) {
    for (int i = 0; i < 20000; i++) {
        time_t time = (time_t)(random_bits() % 20000000000ULL) - 5000000000;
        struct tm theirs = *gmtime(&time), ours = *model_gmtime(&time), again = ours;
        if (ours.tm_year != theirs.tm_year || ours.tm_yday != theirs.tm_yday || ours.tm_mon != theirs.tm_mon ||
            ours.tm_mday != theirs.tm_mday || ours.tm_wday != theirs.tm_wday || ours.tm_hour != theirs.tm_hour ||
            ours.tm_min != theirs.tm_min || ours.tm_sec != theirs.tm_sec)
            fail("gmtime(%ld): %s", (long)time, asctime(&ours));
        again.tm_mday += (int)(random_bits() % 100) - 50, again.tm_mon += (int)(random_bits() % 40) - 20;
        again.tm_hour += (int)(random_bits() % 100) - 50;
        struct tm copy = again;
        if (model_timegm(&again) != timegm(&copy)) fail("timegm near %ld", (long)time);
        if (strcmp(model_asctime(&theirs), asctime(&theirs)) != 0) fail("asctime of %ld", (long)time);
        char a[200], b[200];
        const char *format = "%a %A %b %B %c %C %d %D %e %F %g %G %H %I %j %k %l %m %M %p %P %r %R %S %T %u %U %V %w %W %x %X %y %Y %z %%";
        if (model_strftime(a, 200, format, &theirs) != strftime(b, 200, format, &theirs) || strcmp(a, b) != 0)
            fail("strftime: %s instead of %s", a, b);
    }
}

void test_library(void) {
    sorting();
    sequences();
    calendar();
    char *p = model_malloc(10);
    strcpy(p, "contents");
    p = model_realloc(p, 1000);
    if (strcmp(p, "contents") != 0) fail("realloc loses contents");
    model_free(p);
    p = model_calloc(10, 10);
    for (int i = 0; i < 100; i++)
        if (p[i]) fail("calloc");
    model_free(p), model_free(NULL);
    volatile size_t huge = ~(size_t)0;
    if (model_calloc(huge / 2, 3) || model_malloc(huge)) fail("impossible sizes");
    div_t parts = model_div(-17, 5);
    if (parts.quot != -3 || parts.rem != -2) fail("div");
}
