// Decimal floating types are refused by name.
// run: check
// exit: 2
// stderr: type `_Decimal64` is not supported
int main(void) {
    _Decimal64 price = 1;
    return price != 1;
}
