// A poll is true or false, wherever the message is.
// run: check => verified
chan q = [2] of { byte };
byte x;
init { q!1; q!2; x = q??[2]; assert(x == 1); x = q?[2]; assert(x == 0) }
