/* A sender and a receiver over channels that lose messages; who hears nothing sends again. Beside them, clients. */
mtype = { data, ack };
chan forth = [SIZE] of { mtype, bit, byte };
chan back = [SIZE] of { mtype, bit };
chan requests = [2] of { byte };
byte sent, got;
bool losing;

active [CLIENTS] proctype client()
{
    byte next = _pid;
    do :: requests!next; next = (next + 1) % VALUES od
}

active proctype sender()
{
    bit tag, heard;
    byte value;
    do
    ::  requests?value;
        sent = value + 1;
        do
        :: forth!data, tag, value
        :: back?ack, heard -> if :: heard == tag -> break :: else fi
        od;
        tag = 1 - tag;
        sent = 0
    od
}

active proctype receiver()
{
    bit expected, tag;
    byte value;
    do
    ::  forth?data, tag, value;
        if
        :: tag == expected -> expected = 1 - expected;
            got = value + 1;
progress:
            got = 0
        :: else
        fi;
        back!ack, tag
    od
}

active proctype thief()
{
    do
    :: forth?data, _, _ -> losing = 1; losing = 0
    :: back?ack, _ -> losing = 1; losing = 0
    od
}
