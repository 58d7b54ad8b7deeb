/* version: of volley; its JSON names it. */
#ifndef VOLLEY_VERSION_H
#define VOLLEY_VERSION_H

#define VOLLEY_VERSION "0.1"

#endif
