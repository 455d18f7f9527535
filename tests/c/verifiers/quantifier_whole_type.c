// A range that is as large as its type ends as well: what stands behind the quantifier is reached.
// run: check
// verdict: violated assertion
unsigned char table[256];

int main(void) {
    int all = __CPROVER_forall { unsigned char i; i <= 255 ==> table[i] == 0 };
    int none = !__CPROVER_exists { unsigned char i; i < 300 && table[i] == 1 };
    int bits = __CPROVER_forall { _Bool i; i < 2 ==> table[i] == 0 };
    table[255] = 1;
    int last = __CPROVER_exists { unsigned char i; i >= 0 && i <= 255 && table[i] == 1 };
    __CPROVER_assert(!all || !none || !bits || !last, "reached"); // fails
    return 0;
}
