// The string library.
// run: simulate
// like: cc
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char buffer[64] = "hello";
    strcat(buffer, ", ");
    strncat(buffer, "world and more", 5);
    printf("%s %zu\n", buffer, strlen(buffer));
    printf("%d %d %d\n", strcmp("a", "b") < 0, strncmp("abc", "abd", 2), memcmp("abc", "abd", 3) < 0);
    printf("%s %s %s\n", strchr(buffer, 'w'), strrchr(buffer, 'l'), strstr(buffer, "lo"));
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "l"), strpbrk("hello", "xyzl"));
    char line[] = "one,two;;three";
    for (char *word = strtok(line, ",;"); word; word = strtok(NULL, ",;"))
        printf("[%s]", word);
    printf("\n");
    memmove(buffer + 2, buffer, 5);
    printf("%s\n", buffer);
    for (const char *p = "aZ5 _\t"; *p; p++)
        printf("%d%d%d%d%d%d ", !!isalpha(*p), !!isdigit(*p), !!isspace(*p), !!isupper(*p), !!ispunct(*p), !!isalnum(*p));
    printf("%c%c\n", toupper('q'), tolower('Q'));
    char *end;
    printf("%ld ", strtol("  -42abc", &end, 10));
    printf("%s ", end);
    printf("%lu %ld %d\n", strtoul("0xff", NULL, 0), strtol("777", NULL, 8), atoi("123"));
    errno = 0;
    printf("%ld ", strtol("99999999999999999999", NULL, 10));
    printf("%d\n", errno == ERANGE);
    printf("%g %g\n", strtod("3.25e2x", &end), atof("-0.5"));
    int a, b;
    char word[16];
    printf("%d ", sscanf("12 abc 7f", "%d %15s %x", &a, word, &b));
    printf("%d %s %d\n", a, word, b);
    char *copy = strdup("copied");
    copy[0] = 'C';
    puts(copy);
    free(copy);
    fputs("fputs\n", stdout);
    putchar('x');
    putchar('\n');
    printf("%s\n", strerror(ENOENT));
    srand(7);
    printf("%d %d\n", rand(), rand() % 100);
    div_t d = div(17, 5);
    printf("%d %d %d\n", d.quot, d.rem, abs(-3));
    return 0;
}
