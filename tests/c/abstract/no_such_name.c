// Names that the program does not know are refused.
// run: check --abstract nothing
// exit: 2
// stderr: --abstract: there is no function `nothing`
int main(void) { return 0; }
