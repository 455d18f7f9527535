typedef struct node { struct node *next; union { int i; float f; struct { unsigned a : 3, : 0, b : 7; }; }; char name[]; } node_t;
enum colour { RED = 1, GREEN = RED << 2, BLUE };
struct point { int x, y; } origin = {.y = 2, .x = 1}, grid[2][2] = {[1] = {[0] = {5}}};
static const char *names[] = {"red", "green" "er", [BLUE] = "blue"};
#pragma pack(push, 1)
struct packed { char c; long l; enum colour e : 4; };
#pragma pack(pop)
struct point move(struct point p, int dx) { p.x += dx; return p; }
long size(void) { return sizeof(struct packed) + __builtin_offsetof(node_t, name[3]) + _Alignof(double); }
int main(void) { struct point p = move((struct point){1, 2}, 3), *q = &p; node_t n = {.i = 1}; n.b = q->x; return n.b + names[0][1]; }
