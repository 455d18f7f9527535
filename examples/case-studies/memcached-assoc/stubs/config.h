// What memcached's configure script would write, as far as the hash table needs it.
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define ENDIAN_LITTLE 1
