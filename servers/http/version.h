/* version: what our servers call themselves. */
#ifndef HTTP_VERSION_H
#define HTTP_VERSION_H

#define SERVER_VERSION "0.1.0"
#define SERVER_TOKEN   "parity-reactor/" SERVER_VERSION

#endif
