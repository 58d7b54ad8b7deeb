#!/usr/bin/env bash
# lint: formatting and static analysis of everything in the repository, as TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1

mapfile -t c_files < <(find harness servers -name '*.[ch]' | sort)
mapfile -t c_sources < <(find harness servers -name '*.c' ! -name 'fuzz_*.c' | sort)
mapfile -t shell_files < <(
  grep -lE '^#!/(usr/)?bin/(env )?(ba)?sh' -r .ci scripts ci harness servers 2>/dev/null | sort
  find . -path ./build -prune -o -name '*.bats' -print | sort
)
number=0

# result NAME OUTPUT: one TAP line; the test passes when the tool said nothing.
result() {
  number=$((number + 1))
  if [ -z "$2" ]; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    head -n 60 <<<"$2" | sed 's/^/# /'
  fi
}

tidy_one() { # FILE: silent when clean
  clang-tidy --quiet "$1" -- -std=gnu11 -D_GNU_SOURCE "-I${1%%/*}" 2>/dev/null |
    grep -E '(warning|error):' || true
}
export -f tidy_one
# shellcheck disable=SC2016 # expanded by the inner shell
each='tidy_one "$1"'

echo "1..4"
result "clang-format (make format mends it)" \
  "$(clang-format --dry-run --Werror "${c_files[@]}" 2>&1 | grep -E 'error|warning' || true)"
result "clang-tidy" \
  "$(printf '%s\0' "${c_sources[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c "$each" _)"
result "cppcheck" \
  "$(cppcheck --quiet --std=c11 --inline-suppr --error-exitcode=0 -j "$(nproc)" \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    --suppress=normalCheckLevelMaxBranches --suppress=invalidPointerCast \
    -D__linux__ -D_GNU_SOURCE -Iharness -Iservers "${c_sources[@]}" 2>&1 || true)"
result "shellcheck" "$(shellcheck -x "${shell_files[@]}" 2>&1 || true)"
