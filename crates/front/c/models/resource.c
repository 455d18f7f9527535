//! header: sys/resource.h
// Limits of the process: there are none.

/// getrlimit: exact — nothing is limited
int getrlimit(int resource, unsigned long limits[2]) {
    (void)resource;
    __unpick_note("resources of the process are not limited");
    limits[0] = limits[1] = ~0UL;
    return 0;
}
