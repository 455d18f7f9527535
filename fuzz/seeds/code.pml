c_decl { typedef struct { int left; int right; } Pair; int total; }
c_state "Pair pair" "Global"
c_state "int mine" "Local P"
c_track "&total" "sizeof(total)"
byte x;
c_code { int add(int v) { total += v; return total; } }
active [2] proctype P() {
    c_code { PP->mine = add(now.x); now.pair.left++; };
    if
    :: c_expr { now.pair.left > 1 } -> x = 1
    :: else -> skip
    fi;
    c_code [now.x < 9] { now.x = (unsigned char) total; }
}
