// The fields of a record have their values from the start of the process, wherever it is declared.
// states: 14
// faults: 1
typedef U { byte k = 2 };
typedef T { byte x = 3; short y[2] = 7; U u[2] };
byte n;
init {
    skip;
    do
    :: n < 2 -> T v; assert(v.x == 3 && v.y[1] == 7 && v.u[1].k == 2); v.x = 4; n++
    :: else -> break
    od
}
