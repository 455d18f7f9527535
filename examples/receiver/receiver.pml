/* A line that may garble one byte drives the receiver of receiver.c, byte by byte.

   unpick check receiver.pml            the receiver is right
   unpick check -D BUG receiver.pml     a frame that is too long is written behind the end of the data
*/
c_decl {
    \#include "receiver.c"
}

chan line = [1] of { byte };
bool is_garbled;
byte n_frames, n_delivered;

active proctype Sender() {
    byte n, first, sum;
    do
    :: n_frames < 2 ->
        n_frames++;
        select (n : 1 .. 2);
        select (first : 0 .. 1);
        sum = first;
        line!7;
        line!n;
        line!first;
        if :: n == 2 -> line!1; sum = sum + 1 :: else fi;
        line!sum
    :: n_frames == 2 -> break
    od
}

active proctype Line() {
    byte x, got;
    do
    :: line?x ->
        if
        :: skip
        :: !is_garbled -> is_garbled = true; x = x ^ 1
        fi;
        c_code { PLine->got = receive(PLine->x); };
        assert(got <= 2);
        if :: got > 0 -> n_delivered++ :: else fi
    :: timeout -> break
    od
}

/* A frame that arrived as it was sent is delivered, and no frame twice. */
ltl delivered { [] (n_delivered <= n_frames) }
