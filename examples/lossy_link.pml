/* A sender repeats a message until it is acknowledged; the link may lose both. The receiver must not take a repetition
 * for a new message. Without the bit (unpick check -DNO_BIT) it does. */
mtype = { data, ack };
chan forth = [1] of { mtype, byte, bit };
chan back = [1] of { mtype, bit };

active proctype sender()
{
    byte number;
    bit mine, theirs;
    do
    :: number < 4 ->
        do
        :: forth!data(number, mine)
        :: forth?_, _, _                        /* lost */
        :: back?ack(theirs) ->
            if
            :: theirs == mine -> break
            :: else                             /* an old one */
            fi
        od;
        number++;
#ifndef NO_BIT
        mine = !mine
#endif
    :: else -> break
    od
}

active proctype receiver()
{
    byte number, next;
    bit theirs, wanted;
end:
    do
    :: forth?data(number, theirs) ->
        if
        :: theirs == wanted ->
            assert(number == next);
            next++;
#ifndef NO_BIT
            wanted = !wanted
#endif
        :: else                                 /* a repetition */
        fi;
        if
        :: back!ack(theirs)
        :: skip                                 /* lost */
        fi
    od
}
