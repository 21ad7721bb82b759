import CSystem
import CaptureGate

/// The bytes of a clip on their way: `OUT.partial`, which becomes OUT when it is finished; standard output; or nothing.
///
/// Released without being finished, it removes a partial file that nothing was recorded into, and keeps any other.
///
/// *session-bound*
public struct ClipOutput: ~Copyable, Sendable {
    public let destination: ClipDestination
    /// Whether what was written can be changed later.
    public let isSeekable: Bool
    /// Bytes written at the end; patches don't count.
    public private(set) var bytesWritten: Int64 = 0
    /// -1 for nothing and once closed.
    var descriptor: Int32
    let replacing: Bool
    /// What the file is called until it is finished, behind its name.
    let suffix: String
    /// Gives it its name later; at once where there is none.
    var finishing: FinishingQueue?
    /// The most bytes it may have; `nil` as many as there is room for.
    var limit: Int64?

    init(
        destination: ClipDestination, descriptor: Int32, isSeekable: Bool, replacing: Bool,
        suffix: String = Self.partialSuffix
    ) {
        self.destination = destination
        self.descriptor = descriptor
        self.isSeekable = isSeekable
        self.replacing = replacing
        self.suffix = suffix
    }

    deinit {
        guard case .file(let path) = destination, descriptor >= 0 else { return }
        // The interrupted recording is still there, so that half a recovery is nothing to keep.
        if bytesWritten == 0 || suffix != Self.partialSuffix { _ = cs_unlink(path + suffix) }
        _ = cs_close(descriptor)
    }

    static let partialSuffix = ".partial"

    static func partial(of path: String) -> String { path + partialSuffix }

    /// Appends all of it.
    /// - Throws: `.diskFull`, ``CaptureError/sizeReached`` or `.inputOutput`. Part of it may be there: see `rewind(to:)`.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        if let limit, bytesWritten + Int64(bytes.count) > limit { throw .sizeReached }
        guard destination != .nothing else {
            bytesWritten += Int64(bytes.count)
            return
        }
        var rest = bytes
        while !rest.isEmpty {
            let written = cs_write(descriptor, rest.baseAddress, rest.count)
            if written == -Int64(EAGAIN) {
                waitForRoom()
                continue
            }
            guard written > 0 else { throw failure(Int32(-written), "write to") }
            bytesWritten += written
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(written)...])
        }
    }

    /// Standard output may have been made non-blocking by whoever shares it.
    private func waitForRoom() {
        var item = cs_poll_item(fd: descriptor, events: Int16(CS_POLL_OUT), revents: 0)
        _ = cs_poll(&item, 1, -1)
    }

    mutating func write(_ bytes: [UInt8]) throws(CaptureError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try write(bytes) }
    }

    /// Changes bytes that are written already; does nothing where that can't be done.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        guard isSeekable else { return }
        let written = bytes.withUnsafeBytes { cs_pwrite(descriptor, $0.baseAddress, $0.count, offset) }
        guard written == bytes.count else { throw failure(written < 0 ? Int32(-written) : EIO, "write to") }
    }

    /// Cuts off what was written past `length`, such as half a cluster on a full disk.
    mutating func rewind(to length: Int64) throws(CaptureError) {
        guard isSeekable, length <= bytesWritten else { return }
        let cut = cs_ftruncate(descriptor, length)
        guard cut >= 0 else { throw failure(-cut, "shorten") }
        _ = cs_lseek(descriptor, length, SEEK_SET)
        bytesWritten = length
    }

    func failure(_ code: Int32, _ action: String) -> CaptureError {
        .output(code, action, destination == .standardOutput ? "standard output" : destination.description)
    }
}
