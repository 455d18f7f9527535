/* Producers and consumers share a bounded buffer, for ever. */
chan buffer = [SIZE] of { byte, byte };
byte last[PRODUCERS];
byte taken;

active [PRODUCERS] proctype producer()
{
    byte item;
    do
    ::  item = (item + 1) % 3;
        buffer!_pid, item
    od
}

active [CONSUMERS] proctype consumer()
{
    byte from, item;
    do
    ::  buffer?from, item;
        taken = 1;
        last[from] = item;
progress:
        taken = 0;
        from = 0;
        item = 0
    od
}
