// Priorities: only the highest that can run does.
// states: 61
byte x, y;
active proctype Low() { x++; x++; x++ }
active proctype High() priority 5 { y++; x == 2; y++ }
proctype Mid() { y = y + 10; set_priority(_pid, 1); y = y + 10 }
init { run Mid() priority 3; x = x + get_priority(0) }
