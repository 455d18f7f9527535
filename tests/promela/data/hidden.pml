// Hidden variables tell no states apart.
// states: 6
hidden byte h; byte x;
active proctype P() { h = 3; x = 1; h = 4; x = 2 }
