/* Sorts a small array in place; the parts on both sides of the pivot are sorted by the function itself. */

enum { N = 4 };

int v[N];

static void swap(int i, int j)
{
    int temp;

    temp = v[i];
    v[i] = v[j];
    v[j] = temp;
}

void quicksort(int left, int right)
{
    int i, last;

    if (left >= right)
        return;
    swap(left, (left + right) / 2);
    last = left;
    for (i = left + 1; i <= right; i++) {
        if (v[i] < v[left]) {
            last++;
            swap(last, i);
        }
    }
    swap(left, last);
    quicksort(left, last - 1);
    quicksort(last + 1, right);
}
