# Words to the person who runs the rig. Sourced by the host-side scripts; stdout belongs to results.

say() { printf '%s\n' "rig: $*" >&2; }

die() {
    say "$*"
    exit 1
}

# Runs a command as root: directly, else through sudo, else says what is missing.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "'$*' must run as root: become root or install sudo"
    fi
}

# Installs those of the named packages that are missing, and says which.
install_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    # shellcheck disable=SC2086 # a list of words on purpose
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        install -y --no-install-recommends $missing >&2 || die "apt could not install$missing"
}
