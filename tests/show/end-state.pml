/* Both processes wait for the other's message. */
/* run: check */
chan to_left = [1] of { byte };
chan to_right = [1] of { byte };
byte turns;

active proctype left()
{
    byte got;
    to_left ? got;
    to_right ! got + 1;
    turns++
}

active proctype right()
{
    byte got;
    to_right ? got;
    to_left ! got + 1;
    turns++
}
