/* site_assets: site.css and site.js, put into the program by the assembler, so that they are files
   that their own tools can read. Paths are from the top of the repository, where make runs. */
#include "present/site_parts.h"

#define ASSET(name, file)                                                                          \
    __asm__(".section .rodata\n.global " #name "\n" #name ":\n.incbin \"" file                     \
            "\"\n.byte 0\n.previous\n")

ASSET(site_style, "harness/present/site.css");
ASSET(site_script, "harness/present/site.js");
