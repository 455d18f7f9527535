// Numbers and words are read from text as the C library reads them.
// run: simulate
// like: cc
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>
int main(void) {
    char *end;
    printf("%ld %ld %ld %ld\n", strtol("123", 0, 10), strtol("-0x1f", 0, 16), strtol("077", 0, 0), strtol("zz", 0, 36));
    errno = 0;
    long big = strtol("99999999999999999999", &end, 10);
    printf("%ld %d [%s] %s\n", big, errno, end, strerror(errno));
    printf("%lu %llu %d\n", strtoul("-1", 0, 10), strtoull("18446744073709551615", 0, 10), atoi(" 42abc"));
    printf("%.17g %.17g %.17g %.17g\n", strtod("0.1", 0), strtod("1e308", 0), strtod("4.9e-324", 0), strtod("0x1.8p3", 0));
    printf("%.17g %.17g %.9g\n", strtod("123456789012345678901234567890", 0), strtod("2.2250738585072011e-308", 0), (double)strtof("0.1", 0));
    printf("%f %f\n", strtod("inf", 0), atof("2.5e1"));
    int a = 0, b = 0; char word[10] = "", rest[20] = ""; double d = 0; float f = 0; char c = 0;
    int n = sscanf("12 -7 hello 2.5 1.25x", "%d %d %9s %lf %f%c", &a, &b, word, &d, &f, &c);
    printf("%d: %d %d %s %g %g %c\n", n, a, b, word, d, f, c);
    n = sscanf("key=value; more", "%[a-z]=%[^;]", word, rest);
    printf("%d: %s %s\n", n, word, rest);
    n = sscanf("ff 0x10 17", "%x %i %o", (unsigned *)&a, &b, (unsigned *)&n);
    printf("%d %d\n", a, b);
    return 0;
}
