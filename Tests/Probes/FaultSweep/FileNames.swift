import Glibc

/// The names in a directory; none if there is no such directory.
struct FileNames {
    let all: [String]

    /// - Parameter words: names must contain one of them; empty for all names. They are searched for in the bytes from the system:
    ///   a debug build takes long to make strings of the thousands of names in a shared directory.
    init(in folder: String, with words: [String] = []) {
        var names: [String] = []
        let words = words.map { Array($0.utf8CString) }
        if let stream = opendir(folder) {
            while let entry = readdir(stream) {
                if let name = Self.name(entry, with: words) { names.append(name) }
            }
            closedir(stream)
        }
        all = names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Also those in the subdirectories of a directory.
    static func below(_ folder: String) -> [String] {
        FileNames(in: folder).all.flatMap { name in
            [name] + below(folder + "/" + name).map { name + "/" + $0 }
        }
    }

    private static func name(_ entry: UnsafeMutablePointer<dirent>, with words: [[CChar]]) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                let isWanted = words.isEmpty || words.contains { strstr(name, $0) != nil }
                return isWanted ? String(cString: name) : nil
            }
        }
    }
}
