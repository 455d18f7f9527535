byte x;
active proctype Low() priority 1 { do :: x < 3 -> x++ :: else -> break od; set_priority(_pid, 4); x = 0 }
active proctype High() priority 3 { x == 2; assert(get_priority(_pid) == 3); set_priority(0, 9); x = 9 }
init priority 2 { x > 0 }
