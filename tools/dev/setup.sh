#!/usr/bin/env bash
# Installs what is missing to build and test Vernier on Debian 12, and builds the
# `release` preset. Does nothing twice. `--packages-only` stops before the build.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(
  ninja-build cmake ccache git g++ python3
  clang-22 lld-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libdnnl-dev     # matrix products on the CPU
  libgtest-dev    # unit tests
  dict-gcide      # the corpus of examples/quickstart.sh
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  "${as_root[@]}" apt-get -qq update
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y \
    --no-install-recommends "${missing[@]}" >/dev/null
fi
if [ "${1:-}" = --packages-only ]; then exit 0; fi

if [ ! -f build/release/build.ninja ]; then
  cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
  rm -f build-configure.log
fi
echo "building the release preset in build/release"
ninja -C build/release -j "${VERNIER_JOBS:-$(nproc)}" --quiet all
