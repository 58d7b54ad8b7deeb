#!/usr/bin/env bash
# instructions: user instructions per request, compared exactly with the committed baseline. Skips, saying why, where
# the baseline was counted with another compiler, libc, processor or kernel.
exec "$(dirname "$0")/../../scripts/count-instructions" --check
