/* Peterson's filter lock for N processes. */
byte level[N], victim[N];
bool trying, inside;

active [N] proctype process()
{
    byte at, other;
    do
    ::  trying = trying || (_pid == 0);
        at = 1;
        do
        :: at < N ->
            level[_pid] = at;
            victim[at] = _pid;
            other = 0;
            do
            :: other == N -> break
            :: other < N && (other == _pid || level[other] < at || victim[at] != _pid) -> other++
            od;
            other = 0;
            at++
        :: else -> break
        od;
        if :: _pid == 0 -> trying = 0; inside = 1; inside = 0 :: else fi;
progress:
        level[_pid] = 0;
        at = 0
    od
}
