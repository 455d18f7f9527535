/* Items pass through stages; each stage works on one for a while, and begins anew a few times only. */
chan pipes[STAGES + 1] = [1] of { byte };
byte n_back;
byte out;

active [STAGES] proctype stage()
{
    byte item, work;
    do
    ::  pipes[_pid]?item;
        work = 0;
        do
        :: work < WORK -> work++
        :: work == WORK -> break
        :: work > 0 && n_back < BACK ->
accept:     n_back++;
            work = 0
        od;
        work = 0;
        pipes[_pid + 1]!item;
        item = 0
    od
}

active proctype source()
{
    byte next;
    do :: pipes[0]!next; next = (next + 1) % VALUES od
}

active proctype sink()
{
    byte item;
    do
    ::  pipes[STAGES]?item;
        out = item + 1;
        out = 0;
        item = 0
    od
}
