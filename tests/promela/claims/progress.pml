// Without progress, if one may be unfair to the one who makes it.
// run: check --property non-progress => violated livelock
// run: check --property livelock => verified
byte x;
active proctype one() { do :: x = 0 od } // fails
active proctype two() { do :: x = 1; progress: x = 2 od }
