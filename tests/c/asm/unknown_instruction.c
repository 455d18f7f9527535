// An instruction without a meaning is said when it is reached, also after one that has a meaning.
// run: check
// verdict: unknown inline assembly `nop; rdtsc`
int main(void)
{
    unsigned low = 0;
    __asm__ __volatile__("nop; rdtsc" : "=a"(low) : : "edx");
    return (int)low;
}
