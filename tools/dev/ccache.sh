#!/bin/sh
# The compiler launcher: ccache, told that a clone in another folder is the same
# project and that a precompiled header is known by the checksum beside it.
CCACHE_BASEDIR=$(cd "$(dirname "$0")/../.." && pwd)
CCACHE_NOHASHDIR=1
CCACHE_PCH_EXTSUM=1
CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_PCH_EXTSUM CCACHE_SLOPPINESS
exec ccache "$@"
