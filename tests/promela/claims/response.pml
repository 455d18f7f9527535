// A request is answered, unless the server may always prefer the other client.
// run: check --property answered => violated ltl
// run: check --property answered --fair => violated ltl
// run: check --property safe => verified
// run: check --property wrong_once => violated ltl
// run: check => violated ltl
// with: --store tree | --reduce none | --workers 1 | --search depth
mtype = { ask, answer };
chan to[2] = [1] of { mtype };
bool waiting[2];
active [2] proctype client() {
    do
    :: waiting[_pid] = true; to[_pid]!ask; !waiting[_pid]
    od
}
active proctype server() {
    do
    :: to[0]?ask -> waiting[0] = false
    :: to[1]?ask -> waiting[1] = false
    od
}
ltl answered { [](waiting[0] -> <>!waiting[0]) } // fails
ltl safe { [](len(to[0]) <= 1) }
ltl wrong_once { []!waiting[1] } // fails
