// Pointers of every kind, function pointers, casts through integers and bytes.
// run: simulate
// like: cc
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
typedef int (*binary)(int, int);
static binary pick(char op) { return op == '+' ? add : sub; }
static int (*const ops[])(int, int) = {add, &sub};

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void fill(int rows, int columns, int grid[rows][columns])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            grid[i][j] = i * columns + j;
}

static void swap(void *a, void *b, size_t n)
{
    unsigned char *x = a, *y = b;
    while (n--) {
        unsigned char t = *x;
        *x++ = *y;
        *y++ = t;
    }
}

int main(void)
{
    printf("%d %d %d %d\n", pick('+')(3, 4), (*pick('-'))(3, 4), ops[1](1, 2), (**ops[0])(5, 6));
    int values[] = {5, 3, 9, -1, 7};
    qsort(values, 5, sizeof *values, compare);
    for (int *p = values; p != values + 5; p++)
        printf("%d ", *p);
    int key = 7;
    int *found = bsearch(&key, values, 5, sizeof *values, compare);
    printf("%td\n", found - values);
    int rows = 3, columns = 4;
    int grid[rows][columns];
    fill(rows, columns, grid);
    printf("%d %zu %zu\n", grid[2][3], sizeof grid, sizeof grid[0]);
    uintptr_t bits = (uintptr_t)values;
    int *back = (int *)(bits + 2 * sizeof(int));
    printf("%d %d\n", *back, (int)(bits % _Alignof(int)));
    int *one = &values[0], *two = &values[4];
    swap(&one, &two, sizeof one);
    printf("%d %d\n", *one, *two);
    char **words = malloc(3 * sizeof *words);
    for (int i = 0; i < 3; i++) {
        words[i] = malloc(16);
        snprintf(words[i], 16, "word%d", i);
    }
    words = realloc(words, 5 * sizeof *words);
    words[3] = strdup("more");
    words[4] = NULL;
    for (char **w = words; *w; w++) {
        printf("%s ", *w);
        free(*w);
    }
    free(words);
    void *any = values;
    printf("\n%d %d\n", ((int *)any)[1], *((char *)any + 4));
    int (*whole)[5] = &values;
    printf("%d %zu\n", (*whole)[2], sizeof *whole);
    const char *text = "pointer";
    printf("%c %s %d\n", *(text + 2), text + 3, text[7]);
    printf("%d\n", values + 1 > values && !(values == NULL));
    int *calloced = calloc(4, sizeof *calloced);
    printf("%d\n", calloced[3]);
    free(calloced);
    return 0;
}
