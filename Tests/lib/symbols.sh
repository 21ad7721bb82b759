# shellcheck shell=bash
# Symbol graphs of a build's modules: what is public in them, with its documentation.

# symbols BUILD MODULE FOLDER [OPTION…]: writes MODULE's graphs into FOLDER.
symbols() {
    local build=$1 module=$2 folder=$3 map maps=()
    shift 3
    for map in "$build"/*.build/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done
    swift symbolgraph-extract -module-name "$module" -I "$build/Modules" "${maps[@]}" -output-dir "$folder" \
        -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public "$@"
}
