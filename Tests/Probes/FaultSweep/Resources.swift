import FoundationEssentials
import Glibc

/// What this process holds: descriptors, mappings, threads, files.
struct Resources: CustomStringConvertible {
    let descriptors: [String]
    /// What is mapped of files, devices and memory descriptors.
    let mappings: [String]
    /// Mappings of nothing: stacks, heaps, great allocations.
    let anonymousMappings: Int
    let threads: Int
    let files: [String]

    init(_ folder: SweptFolder) {
        let mapped = Self.lines(of: "/proc/self/maps").map { line in line.firstIndex(of: "/").map { line[$0...] } }
        descriptors = Self.targets(in: "/proc/self/fd")
        mappings = mapped.compactMap { $0.map(String.init) }.sorted()
        anonymousMappings = mapped.count { $0 == nil }
        threads = FileNames(in: "/proc/self/task").all.count
        files = FileNames.below(folder.path).filter { !$0.hasPrefix("clips/") } + Self.strays
    }

    /// What is there beyond what was before. Threads and anonymous memory are looked at over the whole sweep: Dispatch
    /// keeps idle threads, with their stacks, for the next block.
    func surplus(since before: Resources) -> [String] {
        Self.surplus(descriptors, before.descriptors) + Self.surplus(mappings, before.mappings)
            + Self.surplus(files, before.files)
    }

    var description: String {
        "\(descriptors.count) descriptors, \(mappings.count) mappings and \(anonymousMappings) anonymous ones, "
            + "\(threads) threads, \(files.count) files"
    }

    /// What was not written to the folder for temporary files. Other processes write there too, so ours is told by its
    /// name: by this process's number in it, or by libv4l's.
    private static var strays: [String] {
        ["/tmp", "/var/tmp", "/dev/shm"].flatMap { folder in
            FileNames(in: folder).all.filter { $0.contains("libv4l") || isNumbered($0) }.map { "\(folder)/\($0)" }
        }
    }

    /// Whether this process's number stands in a name by itself.
    private static func isNumbered(_ name: String) -> Bool {
        name.split { !$0.isLetter && !$0.isNumber }.contains("\(getpid())")
    }

    private static func surplus(_ now: [String], _ before: [String]) -> [String] {
        var rest = now
        for name in before { if let at = rest.firstIndex(of: name) { rest.remove(at: at) } }
        return rest
    }

    /// What the links in a folder lead to, without the numbers that a socket or a pipe has for itself.
    private static func targets(in folder: String) -> [String] {
        FileNames(in: folder).all.compactMap { name in
            var text = [CChar](repeating: 0, count: 512)
            let count = readlink("\(folder)/\(name)", &text, text.count)
            guard count > 0 else { return nil }
            let target = String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if target.hasPrefix("/proc/") { return nil }
            return target.hasPrefix("/") ? target : target.filter { !$0.isNumber }
        }.sorted()
    }

    private static func lines(of file: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}

extension Resources {
    /// Threads of this process that run at a realtime priority (field 41 of proc(5)'s stat).
    static var realtimeThreads: Int {
        FileNames(in: "/proc/self/task").all.count { task in
            guard let data = FileManager.default.contents(atPath: "/proc/self/task/\(task)/stat") else { return false }
            let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 38 && fields[38] != "0"
        }
    }
}
