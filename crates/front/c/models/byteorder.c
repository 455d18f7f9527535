//! header: arpa/inet.h
// Numbers in the order of bytes that networks use; the machine has the other one.

/// htons: exact
unsigned short htons(unsigned short x) { return __builtin_bswap16(x); }

/// ntohs: exact
unsigned short ntohs(unsigned short x) { return __builtin_bswap16(x); }

/// htonl: exact
unsigned htonl(unsigned x) { return __builtin_bswap32(x); }

/// ntohl: exact
unsigned ntohl(unsigned x) { return __builtin_bswap32(x); }

/// htobe16: exact
unsigned short htobe16(unsigned short x) { return __builtin_bswap16(x); }

/// be16toh: exact
unsigned short be16toh(unsigned short x) { return __builtin_bswap16(x); }

/// htobe32: exact
unsigned htobe32(unsigned x) { return __builtin_bswap32(x); }

/// be32toh: exact
unsigned be32toh(unsigned x) { return __builtin_bswap32(x); }

/// htobe64: exact
unsigned long long htobe64(unsigned long long x) { return __builtin_bswap64(x); }

/// be64toh: exact
unsigned long long be64toh(unsigned long long x) { return __builtin_bswap64(x); }
