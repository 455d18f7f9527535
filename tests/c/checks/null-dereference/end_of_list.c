// run: check
// verdict: violated null-dereference
// A loop walks one node beyond the end of a list.
struct node { int value; struct node *next; };
int main(void) {
    struct node last = {2, 0}, first = {1, &last};
    struct node *node = &first;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += node->value; // fails
        node = node->next;
    }
    return sum;
}
