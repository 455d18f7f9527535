// The second message is lost, and both processes wait for the other's next one.
// run: check
chan to_left = [1] of { byte };
chan to_right = [1] of { byte };
byte turns;

active proctype left()
{
    byte got;
    to_right ! 1;
    to_left ? got;
    turns++;
    to_left ? got
}

active proctype right()
{
    byte got;
    to_right ? got;
    to_left ! got + 1;
    turns++;
    to_right ? got
}
