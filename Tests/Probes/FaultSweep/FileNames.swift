import Glibc

/// The names in a folder; none where there is no such folder.
struct FileNames {
    let all: [String]

    init(in folder: String) {
        var names: [String] = []
        if let stream = opendir(folder) {
            while let entry = readdir(stream) { names.append(Self.name(entry)) }
            closedir(stream)
        }
        all = names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Those in the folders of a folder as well, from there on.
    static func below(_ folder: String) -> [String] {
        FileNames(in: folder).all.flatMap { name in
            [name] + below(folder + "/" + name).map { name + "/" + $0 }
        }
    }

    private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
    }
}
