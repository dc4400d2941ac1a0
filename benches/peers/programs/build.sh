#!/bin/bash
# Builds the programs that benches/record.rs records, from Debian's sources and as they are built there (-O2 -g): Lua and
# Brotli (C) and Ninja (C++). What is there already is not built again.
#
#     benches/peers/programs/build.sh DIR
#
# Needs apt-get, gcc, g++ and python3. Leaves DIR/bin/lua, DIR/bin/brotli and DIR/bin/ninja.
set -euo pipefail
mkdir -p "$1/bin" "$1/lists/partial"
cd "$1"

fetch() { # fetch PACKAGE: its sources, as the folder PACKAGE
  [ ! -d "$1" ] || return 0
  local options=(-qq -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/lists" -o APT::Sandbox::User=root)
  if [ ! -e sources.list ]; then
    local key=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$key] http://deb.debian.org/debian bookworm main" >sources.list
    apt-get "${options[@]}" update || { rm sources.list; return 1; }
  fi
  apt-get "${options[@]}" source --download-only "$1"
  local archives=("$1"_*.orig.tar.*)
  mkdir -p "$1.part"
  tar -xf "${archives[0]}" -C "$1.part" --strip-components 1
  mv "$1.part" "$1"
}

if [ ! -x bin/lua ]; then
  fetch lua5.4
  (cd lua5.4/src && rm -f luac.c && gcc -O2 -g -DLUA_USE_POSIX -o ../../bin/lua ./*.c -lm)
fi
if [ ! -x bin/brotli ]; then
  fetch brotli
  (cd brotli/c && gcc -O2 -g -Iinclude -o ../../bin/brotli common/*.c enc/*.c dec/*.c tools/brotli.c -lm)
fi
if [ ! -x bin/ninja ]; then
  fetch ninja-build
  (cd ninja-build && CFLAGS="-O2 -g" python3 configure.py --bootstrap >/dev/null && cp ninja ../bin/)
fi
