// run: check
// verdict: violated out-of-bounds
// An index beyond the inner array stays inside the object and is an error all the same.
int main(void) {
    int grid[2][3] = {{0}};
    int column = 3;
    return grid[0][column]; // fails
}
