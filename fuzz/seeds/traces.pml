mtype = { a, b };
chan q = [2] of { mtype, byte };
chan r = [0] of { bool };
byte n;
trace { end: do :: q!a(_); q?a(eval(n)); r!true :: q!b(_) od }
active proctype P() { xs q; do :: q!a(n); r!true :: n < 2 -> n++ :: q!b(0) :: break od }
active proctype R() { xr q; bool t; byte v; end: do :: q?a(v) :: q??b(v) :: r?t od }
