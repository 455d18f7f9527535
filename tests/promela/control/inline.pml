// Inlines with parameters, nested, with labels and with results.
// states: 19
byte x, y; chan q = [2] of { byte };
inline bump(v, by) {
    if
    :: v + by < 6 -> v = v + by
    :: else -> goto filled
    fi;
    goto done;
filled: v = 0;
done: skip
}
inline both(by) { bump(x, by); bump(y, by + 1) }
inline twice(a) { return a * 2 }
active proctype P() { byte r; both(2); both(1); r = twice(x + 1); q!r }
active proctype Q() { byte r; q?r; x = r }
