/* version: of Parity, in --version and in every result. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define PARITY_VERSION "0.1.0"

#endif
