/// What the command line says: `RealtimeBenchmarks [--json] [--alone] [--rounds N] [WORD]`.
struct Options {
    var isJSON = false
    /// Without the peer, for a profiler.
    var isAlone = false
    var rounds = 9
    /// Only what has this word in its name.
    var word = ""

    init(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--alone": isAlone = true
            case "--rounds": rounds = max(1, rest.popFirst().flatMap { Int($0) } ?? rounds)
            default: word = argument
            }
        }
    }
}
