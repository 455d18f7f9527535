static int counter = 10;
int shared = 3;
int bump(void) { return ++counter; }
