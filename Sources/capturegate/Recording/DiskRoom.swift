import CaptureEncoding
import Glibc

/// How much room is left where a recording goes, looked at once a second.
struct DiskSpace {
    /// `nil` where it goes to no disk.
    private let directory: String?
    private var next: Int64 = 0
    private var known: Int64?

    init(of destination: ClipDestination) {
        directory =
            if case .file(let path) = destination {
                path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
            } else { nil }
    }

    /// - Parameter time: of the recording, nanoseconds.
    mutating func freeBytes(at time: Int64) -> Int64? {
        guard let directory, time >= next else { return known }
        next = time + 1_000_000_000
        var status = statvfs()
        known = statvfs(directory, &status) == 0 ? Self.bytes(blocks: status.f_bavail, of: status.f_frsize) : nil
        return known
    }

    /// A file system may claim more than 64 bits hold.
    static func bytes(blocks: UInt, of size: UInt) -> Int64 {
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: size)
        return isTooMany ? .max : Int64(clamping: bytes)
    }
}
