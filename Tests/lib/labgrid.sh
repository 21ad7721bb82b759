# shellcheck shell=sh
# A lab of labgrid's on the loopback interface: coordinator, exporter, an SSH server, and Samples/labgrid as the client.
# Sourced by checks and by a group of the rig, after tap.sh; $root is the project's folder.

# labgrid_begin FOLDER PROGRAM VARIABLES [RESOURCES]: FOLDER has a copy of the sample in `lab`; RESOURCES are further ones of the exporter, in YAML.
# $labgrid_python is the Python that has it; see fetched.sh.
labgrid_begin() {
    lab=$1
    PATH=${labgrid_python:?no Python with labgrid}/bin:$PATH
    export PATH
    mkdir -p "$lab/ssh"
    ssh-keygen -q -t ed25519 -N '' -f "$lab/ssh/host_key" </dev/null
    ssh-keygen -q -t ed25519 -N '' -f "$lab/ssh/key" </dev/null
    cp "$lab/ssh/key.pub" "$lab/ssh/authorized_keys"
    python "$root/Tests/lib/ssh-server.py" "$lab/ssh" >"$lab/ssh.txt" 2>&1 &
    labgrid_programs=$!
    labgrid_wait test -s "$lab/ssh/port"

    LG_COORDINATOR=127.0.0.1:$(labgrid_free_port)
    export LG_COORDINATOR LG_BENCH_KEY="$lab/ssh/key" LG_USERNAME=tester LG_HOSTNAME=lab
    # It keeps its places in the working directory.
    (cd "$lab" && exec labgrid-coordinator --listen "$LG_COORDINATOR") >"$lab/coordinator.txt" 2>&1 &
    labgrid_programs="$! $labgrid_programs"
    labgrid_wait labgrid-client places

    # The sample's own file, with this machine's values; without devices where none are named.
    sed -e "s|program: .*|program: $2|" -e "s|variables: .*|variables: $3|" -e 's/address: .*/address: 127.0.0.1/' \
        -e "s/username: .*/username: $(id -un)\n    port: $(cat "$lab/ssh/port")/" -e '/^  ## The devices/,$d' \
        "$lab/lab/exporter.yaml" >"$lab/exporter.yaml"
    printf '%s' "${4:-}" >>"$lab/exporter.yaml"
    labgrid-exporter --name bench1 --hostname 127.0.0.1 "$lab/exporter.yaml" >"$lab/exporter.txt" 2>&1 &
    labgrid_programs="$! $labgrid_programs"
    labgrid_wait labgrid_offers NetworkService
}

# labgrid_place NAME KEY=VALUE: a place with all that the exporter offers, and a tag by which it is reserved.
labgrid_place() {
    labgrid_client -p "$1" create
    labgrid_client -p "$1" add-match 'bench1/bench/*'
    labgrid_client -p "$1" set-tags "$2"
    export LG_BENCH_TAG="$2"
}

# labgrid_tests PLAN REPORTS: runs the sample's tests, and ends with pytest's code.
labgrid_tests() {
    (cd "$lab/lab" && LG_BENCH_PLAN=$1 LG_BENCH_REPORTS=$2 python -m pytest -q -p no:cacheprovider --lg-env environment.yaml 2>&1)
}

labgrid_client() { labgrid-client "$@"; }
labgrid_offers() { labgrid-client resources | grep -q "$1"; }

# In the order in which they depend on each other, the exporter first: it says goodbye to its coordinator.
labgrid_end() {
    for labgrid_program in ${labgrid_programs:-}; do
        kill "$labgrid_program" 2>/dev/null || true
        wait "$labgrid_program" 2>/dev/null || true
    done
    labgrid_programs=
}

labgrid_free_port() { python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# labgrid_wait COMMAND...: until it succeeds, for at least a minute.
labgrid_wait() {
    for _ in $(seq 300); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    echo "waited in vain for: $*" >&2
    tail -n 5 "$lab"/*.txt >&2
    return 1
}
