/* A lift serves floors from the bottom to the top and back; people call it whenever they like. */
bit called[FLOORS];
byte floor;
bit doors, up;

active [PEOPLE] proctype person()
{
    byte wanted;
    do
    ::  select (wanted : 0 .. FLOORS - 1);
        called[wanted] = 1;
        !called[wanted]
    od
}

active proctype lift()
{
    up = 1;
    do
    ::  if
        :: called[floor] -> doors = 1; called[floor] = 0;
progress:
            doors = 0
        :: else
        fi;
        if
        :: up && floor == FLOORS - 1 -> up = 0
        :: !up && floor == 0 -> up = 1
        :: up && floor < FLOORS - 1 -> floor++
        :: !up && floor > 0 -> floor--
        fi
    od
}
