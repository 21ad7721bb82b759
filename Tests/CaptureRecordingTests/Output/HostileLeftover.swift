import ClipScenery
import Foundation
import Glibc
import Testing

/// What may lie under a partial name and is not ours to write to.
enum HostileLeftover: String, CaseIterable, Sendable {
    case pipe, socket, folder, danglingLink, linkToFile, linkToDevice, hardLink, hardLinkOfEmpty, readOnly
    // These only root can make.
    case device, anothers, anothersEmpty

    /// The tests run as root where all of them must run.
    static var possible: [HostileLeftover] {
        geteuid() == 0 ? allCases : allCases.filter { ![.device, .anothers, .anothersEmpty].contains($0) }
    }

    /// Makes it, and beside it `precious` if it leads there.
    func make(at path: String, in scratch: Scratch) throws {
        switch self {
        case .pipe: try check(mkfifo(path, 0o666))
        case .socket: try makeSocket(path)
        case .folder: try check(mkdir(path, 0o755))
        case .danglingLink: try check(symlink("nowhere", path))
        case .linkToFile:
            try scratch.write([7], to: "precious")
            try check(symlink("precious", path))
        case .linkToDevice: try check(symlink("/dev/null", path))
        case .hardLink, .hardLinkOfEmpty:
            try scratch.write(self == .hardLink ? [7] : [], to: "precious")
            try check(Glibc.link(scratch.path("precious"), path))
        case .readOnly:
            try Data([7]).write(to: URL(fileURLWithPath: path))
            try check(chmod(path, 0o400))
        case .device: try check(mknod(path, S_IFCHR | 0o666, dev_t(1 << 8 | 3)))
        case .anothers, .anothersEmpty:
            try Data(self == .anothers ? [7] : []).write(to: URL(fileURLWithPath: path))
            try check(chmod(path, 0o666))
            try check(chown(path, 65534, 65534))
        }
    }

    private func makeSocket(_ path: String) throws {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try check(result)
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

/// Everything that shows whether a file was touched, including the time at which its inode last changed.
struct Untouched: Equatable {
    private var numbers: [Int64] = []
    private var bytes: [UInt8]?

    init(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        numbers = [
            Int64(status.st_ino), Int64(status.st_mode), Int64(status.st_uid), Int64(status.st_nlink),
            Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
            Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        ]
        if status.st_mode & S_IFMT == S_IFREG { bytes = try? Scratch.read(path) }
    }
}
