# Sourced by the scripts beside it: where the tree is, and how it is built.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Clones share what ccache keeps, wherever they are.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# build PRESET [TARGET...]: configures and builds; all targets when none is named.
build() {
  local preset=$1 options=() targets=()
  shift
  # Only to begin with: another compiler launcher would compile everything once more.
  if command -v ccache >/dev/null && [ ! -f "$root/build/$preset/CMakeCache.txt" ]; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  (
    cd "$root"
    cmake --preset "$preset" "${options[@]}" --log-level=WARNING >/dev/null
    cmake --build --preset "$preset" "${targets[@]}"
  )
}

# explain: prints the comment at the head of the script that sources this one.
explain() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
