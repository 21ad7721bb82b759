import FoundationEssentials

/// Changes the audit log as somebody would who can write its file.
struct Tampering {
    private let files: [URL]

    init(_ workspace: Workspace) {
        files = ["", "-wal"].map { URL(filePath: workspace.store + "/grants.sqlite" + $0) }
    }

    /// Replaces every occurrence of one text by another of the same length.
    func replace(_ old: String, _ new: String) throws {
        guard old.utf8.count == new.utf8.count else { throw Failure("the texts differ in length") }
        var found = false
        for file in files {
            guard var bytes = (try? Data(contentsOf: file)).map(Array.init) else { continue }
            let (old, new) = (Array(old.utf8), Array(new.utf8))
            for start in bytes.indices.dropLast(old.count) where bytes[start...].starts(with: old) {
                bytes.replaceSubrange(start..<start + old.count, with: new)
                found = true
            }
            try Data(bytes).write(to: file)
        }
        if !found { throw Failure("\(old) stands nowhere in the store") }
    }
}
