// An alternating bit protocol over a channel that loses.
// states: 96
mtype = { msg, ack }; chan to = [2] of { mtype, bit }; chan from = [2] of { mtype, bit }; byte delivered;
active proctype Sender() {
    bit seq, r;
    do
    :: to!msg, seq; if :: from?ack, r; if :: r == seq -> seq = 1 - seq :: else fi :: timeout fi
    od
}
active proctype Receiver() {
    bit want, r;
    do
    :: to?msg, r; if :: r == want -> want = 1 - want; delivered = (delivered + 1) % 3 :: else fi;
       if :: from!ack, r :: skip fi
    :: to?_, _
    od
}
