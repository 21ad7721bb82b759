import Glibc

/// What this process uses now.
struct ProcessUsage {
    let threads: Int
    let descriptors: Int
    /// Memory in use, bytes: the resident memory (proc(5), the second field of statm), or the allocated memory if a sanitizer
    /// keeps additional data.
    let bytes: Int

    static var now: ProcessUsage {
        ProcessUsage(
            threads: entries("/proc/self/task"), descriptors: entries("/proc/self/fd"),
            bytes: allocatedBytes() ?? pages() * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// As a sanitizer's allocator says (sanitizer/allocator_interface.h); `nil` without one.
    private static func allocatedBytes() -> Int? {
        typealias Count = @convention(c) () -> Int
        return dlsym(nil, "__sanitizer_get_current_allocated_bytes").map { unsafeBitCast($0, to: Count.self)() }
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
