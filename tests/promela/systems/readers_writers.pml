// Readers and writers behind a counter.
// states: 62
byte readers, writers, data;
active [3] proctype Reader() { do :: atomic { writers == 0 -> readers++ }; assert(writers == 0); readers-- od }
active [2] proctype Writer() { do :: atomic { writers == 0 && readers == 0 -> writers++ }; data = 1 - data; writers-- od }
