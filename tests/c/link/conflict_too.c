char value[4] = {1};
