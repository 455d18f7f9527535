// What ck's configure script would write, by hand: the port that uses the compiler's built-in functions instead of
// assembly. It lacks the exchange of a pointer, which some of the locks need.
#ifndef CK_MD_H
#define CK_MD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CK_MD_CACHELINE 64
#define CK_MD_PAGESIZE 4096
#define CK_MD_RMO
#define CK_USE_CC_BUILTINS 1
#undef __x86_64__ // what versions before that macro look at

#define CK_F_PR_FAS_PTR
static inline void *ck_pr_fas_ptr(void *target, void *value)
{
    return __atomic_exchange_n((void **)target, value, __ATOMIC_SEQ_CST);
}

#endif
