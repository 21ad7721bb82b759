import FoundationEssentials
import Glibc

/// What this process holds: descriptors, mappings of rings and devices, threads, files in the folder it records to.
struct Resources: CustomStringConvertible {
    let descriptors: [String]
    let mappings: [Substring]
    let threads: Int
    let files: [String]

    init(folder: String) {
        descriptors = Self.names(in: "/proc/self/fd").compactMap { name in
            var text = [CChar](repeating: 0, count: 512)
            let count = readlink("/proc/self/fd/\(name)", &text, text.count)
            return count > 0 ? String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }.filter { !$0.hasPrefix("/proc/") }.sorted()
        mappings = Self.lines(of: "/proc/self/maps").filter { line in
            ["/memfd:", "/dev/video", "/dev/snd"].contains { line.contains($0) }
        }
        threads = Self.names(in: "/proc/self/task").count
        files = Self.names(in: folder).sorted()
    }

    /// Whether nothing is held that was not before. Dispatch keeps idle threads for the next block, so threads are looked
    /// at over the whole sweep.
    func isClean(since before: Resources) -> Bool {
        descriptors.count <= before.descriptors.count && mappings.count <= before.mappings.count
    }

    var description: String {
        "\(descriptors.count) descriptors, \(mappings.count) mappings, \(threads) threads, \(files.count) files"
    }

    /// What is there beyond what was before.
    func surplus(since before: Resources) -> String {
        var rest = descriptors
        for name in before.descriptors { if let at = rest.firstIndex(of: name) { rest.remove(at: at) } }
        return (rest + mappings.dropFirst(before.mappings.count).map(String.init)).joined(separator: ", ")
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func lines(of file: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}

extension Resources {
    /// Threads of this process that run at a realtime priority (field 41 of proc(5)'s stat).
    static var realtimeThreads: Int {
        names(in: "/proc/self/task").count { task in
            guard let data = FileManager.default.contents(atPath: "/proc/self/task/\(task)/stat") else { return false }
            let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 38 && fields[38] != "0"
        }
    }
}
