# shellcheck shell=bash
# Other people's programs that judge ours, kept outside of the project: in ~/.cache/capturegate, under names that cover what
# they were made of. What a stopped attempt leaves behind is never in the final place. Sourced by checks.

fetched=${XDG_CACHE_HOME:-$HOME/.cache}/capturegate
mkdir -p "$fetched"

# fetch_python LIST: a Python with the packages of a list, whose versions are fixed. Prints its folder.
fetch_python() {
    local key work
    key=$fetched/python-$({ python3 --version; cat "$1"; } | sha256sum | cut -c1-16)
    if [ ! -x "$key/bin/python" ]; then
        (
            exec 9>"$key.lock"
            flock 9
            [ ! -x "$key/bin/python" ] || exit 0
            # Not moved afterwards: its scripts begin with its path.
            rm -rf "$key"
            trap '[ -e "$key/whole" ] || rm -rf "$key"' EXIT
            python3 -m venv "$key" && "$key/bin/python" -m pip --quiet --disable-pip-version-check install -r "$1" && touch "$key/whole"
        ) >&2 || return 1
    fi
    echo "$key"
}

# fetch_package NAME: a Debian package unpacked and not installed, for one that would start a service or bring a hundred others.
# Prints its folder.
fetch_package() {
    local key work version
    version=$(package_version "$1") || return 1
    key=$fetched/package-${1}_${version//[^A-Za-z0-9.+~]/_}
    if [ ! -d "$key" ]; then
        work=$(mktemp -d "$fetched/work.XXXXXX")
        { (cd "$work" && apt-get -q download "$1") && dpkg-deb -x "$work/$1"_*.deb "$work/root" && mv -T "$work/root" "$key"; } >&2 ||
            [ -d "$key" ] || { rm -rf "$work"; return 1; }
        rm -rf "$work"
    fi
    echo "$key"
}

# Without lists of packages apt knows none.
package_version() {
    local as_root=()
    candidate "$1" && return
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get -q update >&2 || return 1
    candidate "$1"
}
candidate() { apt-cache policy "$1" | sed -n 's/^ *Candidate: //p' | grep -v '(none)'; }
