/* libsodium, as it is installed on the system; libzmq stands on it already, for CURVE. */
#ifndef MODELCAST_CSODIUM_H
#define MODELCAST_CSODIUM_H

#include <sodium.h>

#if SODIUM_LIBRARY_VERSION_MAJOR < 10
#error "Modelcast needs libsodium 1.0.18 or later (Debian: libsodium-dev)"
#endif

#endif
