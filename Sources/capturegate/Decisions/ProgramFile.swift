import Glibc

/// What kind of file a program is that was named by its path.
struct GrantedProgram {
    let path: String

    /// A sentence each; empty where it is a program that can ask.
    var notes: [String] {
        var notes: [String] = []
        if access(path, X_OK) != 0 { notes.append("\(path) can't be executed; nothing that runs is this program.") }
        if isScript {
            notes.append(
                "\(path) is a script: to the kernel the program that runs is its interpreter. A grant to that holds "
                    + "for all its scripts.")
        }
        return notes
    }

    private var isScript: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var start: [UInt8] = [0, 0]
        return read(file, &start, 2) == 2 && start == Array("#!".utf8)
    }
}
