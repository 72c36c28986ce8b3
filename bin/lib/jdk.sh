# Shared by the launchers: sourced, never run. Needs bash and the usual POSIX tools, nothing else.

# is_jdk25 HOME: whether HOME holds a JDK 25. Reads its `release` file, because starting java to ask
# it would cost more than the whole launcher.
is_jdk25() {
  [ -x "$1/bin/java" ] || return 1
  local line
  while IFS= read -r line; do
    case $line in JAVA_VERSION=\"25\"* | JAVA_VERSION=\"25.*) return 0 ;; esac
  done 2>/dev/null <"$1/release"
  return 1
}

# find_jdk25: prints the home of a JDK 25; else one line on stderr and status 1.
# Order: $JAVA_HOME, the system's folders, sdkman, Maven's toolchains, then java on PATH.
find_jdk25() {
  local home java
  for home in ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/*25* /usr/java/*25* /opt/*jdk*25* \
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/25* "${HOME:-/nonexistent}"/.jdks/*25* \
    "${HOME:-/nonexistent}"/.m2/jdks/*25* /Library/Java/JavaVirtualMachines/*25*/Contents/Home; do
    if is_jdk25 "$home"; then printf '%s\n' "$home"; return 0; fi
  done
  if [ -r "${HOME:-/nonexistent}/.m2/toolchains.xml" ]; then
    while IFS= read -r home; do
      if is_jdk25 "$home"; then printf '%s\n' "$home"; return 0; fi
    done < <(sed -n 's:.*<jdkHome>\(.*\)</jdkHome>.*:\1:p' "$HOME/.m2/toolchains.xml")
  fi
  if java=$(command -v java); then
    java=$(readlink -f "$java")
    home=${java%/bin/java}
    if is_jdk25 "$home"; then printf '%s\n' "$home"; return 0; fi
  fi
  echo "JDK 25 not found: install Temurin 25 (Debian: temurin-25-jdk) or point JAVA_HOME at a JDK 25" >&2
  return 1
}

# classpath MODULE: prints the module's run-time class path, its own jar first. Status 1 when the
# module is not built. The build writes target/classpath.txt; a path in it that has gone counts as
# not built. $ROOT is the project's root.
classpath() {
  local target=$ROOT/$1/target jar own='' list entry
  [ -r "$target/classpath.txt" ] || return 1
  for jar in "$target"/*-SNAPSHOT.jar "$target"/*[0-9].jar; do
    [ -f "$jar" ] && own=$jar && break
  done
  [ -n "$own" ] || return 1
  list=$(<"$target/classpath.txt")
  local IFS=:
  for entry in $list; do [ -e "$entry" ] || return 1; done
  printf '%s\n' "$own:$list"
}

# stale MODULE…: whether a source or pom of the modules is newer than the first one's class path.
stale() {
  local stamp=$ROOT/$1/target/classpath.txt module
  [ -r "$stamp" ] || return 0
  for module in "$@"; do
    [ -z "$(find "$ROOT/$module/src/main" "$ROOT/$module/pom.xml" -newer "$stamp" -print -quit)" ] || return 0
  done
  return 1
}

# build MODULE [UPSTREAM…]: packages the module and the modules it needs, without tests and checks, when
# something is missing or a source of one of the named modules is newer. Maven's words go to stderr.
# Concurrent launchers build once: the others wait for the lock, then find nothing left to do.
# $JDK is the JDK's home.
build() {
  if classpath "$1" >/dev/null && ! stale "$@"; then return 0; fi
  command -v mvn >/dev/null || { echo "Maven not found: install maven (3.8 or newer)" >&2; return 1; }
  (
    mkdir -p "$ROOT/target"
    if command -v flock >/dev/null; then exec 9>"$ROOT/target/build.lock"; flock 9; fi
    if classpath "$1" >/dev/null && ! stale "$@"; then exit 0; fi
    echo "building $1" >&2
    cd "$ROOT" && JAVA_HOME=$JDK mvn -q -B -Dmaven.test.skip=true -Dspotless.check.skip -DskipErrorProne -pl "$1" -am package >&2 </dev/null
  )
}

# rehearsed MODULE CLASSPATH MAIN ARGUMENT…: adds to the array `flags` the one that makes the JVM
# start from the module's ahead-of-time cache. The first run after a build makes the cache by
# running MAIN with the flags so far: aside and renamed, so that nobody sees half a file; where it
# cannot be made, an empty file keeps later runs from trying again. Concurrent launchers make it
# once. $JDK is the JDK's home.
rehearsed() {
  local target=$ROOT/$1/target cache=$ROOT/$1/target/$1.aot path=$2 fresh
  shift 2
  if [ ! -e "$cache" ] || [ "$target/classpath.txt" -nt "$cache" ]; then
    (
      if command -v flock >/dev/null; then exec 9>"$target/rehearsal.lock"; flock 9; fi
      if [ -e "$cache" ] && [ ! "$target/classpath.txt" -nt "$cache" ]; then exit 0; fi
      fresh=$cache.$$
      if "$JDK/bin/java" "${flags[@]}" -XX:AOTCacheOutput="$fresh" -cp "$path" "$@" \
        >/dev/null 2>&1 </dev/null 9>&-; then
        mv -f "$fresh" "$cache"
      else
        : >"$cache"
      fi
      rm -f "$fresh" "$fresh.config"
    )
  fi
  if [ -s "$cache" ]; then flags+=(-XX:AOTCache="$cache"); fi
}
