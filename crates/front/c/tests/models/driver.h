// What the parts of the comparison share: random inputs, failure reports, and names of models by prefix.
#pragma once
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

extern int n_failures;
extern char output[];
extern size_t n_output;
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
unsigned long long random_bits(void);
double random_double(void);
long double random_long_double(void);

// Declares `model_name` with the type of the C library's `name`.
#define MODEL(name) extern __typeof__(name) model_##name

void test_strings(void);
void test_formats(void);
void test_numbers(void);
void test_scans(void);
void test_mathematics(void);
void test_library(void);
