// Progress is made for a while only; ends are no lack of progress.
// run: check --property non-progress => violated livelock
// run: check --property livelock => violated livelock
byte x;
active proctype one() {
progress:
    x++;
    if :: x < 3 -> goto progress :: else fi;
    do :: x = 3 od // fails
}
active proctype two() { skip }
