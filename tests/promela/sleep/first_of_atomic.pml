// An atomic is one step: what its first statement writes counts as much as what its last does.
// states: 87
byte y, z, n;
active proctype Waits() { y >= 1 -> n++; y == 2 -> n++ }
active proctype Writes() { atomic { y = 1; z = 1 } atomic { y = 2; z = 2 } }
active proctype Looks() { byte i; do :: i < 3 -> i = i + 1 + (z > 5) :: else -> break od }
