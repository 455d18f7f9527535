// Names, tags and typedefs shadow one another as C says.
// run: simulate
// like: cc
#include <stdio.h>
typedef int T;
struct S { int a; };
enum { RED, GREEN = 5, BLUE };
static int x = 1;
static int calls(void) { static int n; return ++n; }
extern int later;
static T identity(T T) { return T; }
int main(void)
{
    int x = 2;
    {
        int x = 3;
        struct S { char b[3]; };
        enum { RED = 40 };
        extern int later;
        printf("%d %zu %d %d\n", x, sizeof(struct S), RED, later);
    }
    printf("%d %zu %d %d\n", x, sizeof(struct S), BLUE, identity(9));
    T T = 6;
    printf("%d %zu\n", T * 2, sizeof T);
    for (int x = 0; x < 2; x++)
        calls();
    printf("%d\n", calls());
    int (T2)(void);
    typedef struct node node;
    struct node { node *next; int v; };
    node n = {&n, 4};
    printf("%d\n", n.next->next->v);
    return 0;
}
int later = 77;
