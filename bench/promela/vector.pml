/* Long states of which a step changes little: a table of LEN bytes in which five processes count, each in places of its own.
 * For `cargo xtask bench promela --only hashing`. */
#ifndef LEN
#define LEN 200
#endif
#ifndef N
#define N 2
#endif

byte table[LEN];

active [5] proctype Count() {
    byte i;
    do
    :: i < N -> table[(_pid * 37 + i * 5) % LEN]++; i++
    :: i == N -> i = 0; atomic { table[_pid] < 1 -> table[_pid]++ }
    od
}
