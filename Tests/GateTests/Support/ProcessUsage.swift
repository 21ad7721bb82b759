import Glibc

/// What this process uses now.
struct ProcessUsage {
    let threads: Int
    let descriptors: Int
    /// Resident memory, bytes: proc(5), the second field of statm.
    let residentBytes: Int

    static var now: ProcessUsage {
        ProcessUsage(
            threads: entries("/proc/self/task"), descriptors: entries("/proc/self/fd"),
            residentBytes: pages() * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    private static func entries(_ folder: String) -> Int {
        guard let stream = opendir(folder) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }

    private static func pages() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return -1 }
        let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? -1 : -1
    }
}
