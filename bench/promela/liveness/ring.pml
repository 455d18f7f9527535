/* A token goes round for ever; who waits for it works a little meanwhile. */
chan links[N] = [1] of { byte };
byte done[N];
byte holder;

active [N] proctype node()
{
    byte at;
    if :: _pid == 0 -> links[0]!0 :: else fi;
    do
    :: done[_pid] < WORK -> done[_pid] = done[_pid] + 1
    :: links[_pid]?at ->
        holder = _pid;
        done[_pid] = 0;
progress:
        links[(_pid + 1) % N]!at
    od
}
