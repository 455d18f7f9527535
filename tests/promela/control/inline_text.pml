// Statements of inlines, told with the text of the body: in JSON, with what they print.
// run: check --property assertion => violated assertion
byte event, other;
inline set(value) { event = value; printf("set %d\n", value) }
inline twice(place, value) { set(value); place == value; place = 3; assert(place != 3) } // fails
active proctype p() {
    twice(other, 0)
}
