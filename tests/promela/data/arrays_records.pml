// Arrays, records, arrays in records.
// states: 36
typedef Point { byte x; byte y[2] }
typedef Box { Point a; Point b[2]; bit filled }
Box box; Point row[3]; byte i;
active proctype P() {
    row[1].y[0] = 4; row[row[1].y[0] - 2].x = 7;
    box.b[1].y[i + 1] = row[2].x; box.filled = 1; box.a.x = box.b[1].y[1] + 1
}
active proctype Q() { i = 0; box.b[0].x = row[1].y[0] }
