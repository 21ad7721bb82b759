import CSystem
import CaptureGate

/// The bytes of a clip on their way: `OUT.partial`, which becomes OUT when it is finished; standard output; or nothing.
///
/// What is written to a file reaches the disk once a second, and a file that another program cuts or removes takes no more.
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
    /// `nil` where it is no file.
    let file: PartialFile?
    /// Whether what was written is of use although it was never finished.
    let isKept: Bool
    /// Stores what is written while more comes; `nil` until something was, and where nothing of it is kept.
    var sync: DiskSync?
    /// Gives it its name later; at once where there is none.
    var finishing: FinishingQueue?
    /// The most bytes it may have; `nil` as many as there is room for.
    var limit: Int64?
    /// Who reads standard output.
    var reader: OutputReader?

    /// - Parameter isKept: not so of half a picture, and of half a recovery, whose interrupted recording is still there.
    init(
        destination: ClipDestination, file: PartialFile? = nil, descriptor: Int32, replacing: Bool = false,
        isKept: Bool = false
    ) {
        self.destination = destination
        self.file = file
        self.descriptor = descriptor
        self.replacing = replacing
        self.isKept = isKept
        isSeekable = file != nil
    }

    deinit {
        guard let file, descriptor >= 0 else { return }
        if bytesWritten == 0 || !isKept { file.remove() }
        Self.close(file, sync)
    }

    static let partialSuffix = ".partial"

    static func partial(of path: String) -> String { path + partialSuffix }

    /// Appends all of it.
    /// - Throws: `.diskFull`, ``CaptureError/sizeReached`` or `.inputOutput`, also of what was written before and could not be
    ///   stored. Part of it may be there: see `rewind(to:)`.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        if let limit, bytesWritten + Int64(bytes.count) > limit { throw .sizeReached }
        guard destination != .nothing else {
            bytesWritten += Int64(bytes.count)
            return
        }
        try checkWhole()
        try append(bytes)
        try keepSafe()
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        var rest = bytes
        while !rest.isEmpty {
            if let reader, reader.atOnce != nil, !reader.waitForRoom() { throw reader.error }
            let written = cs_write(descriptor, rest.baseAddress, min(rest.count, reader?.atOnce ?? .max))
            if written == -Int64(EAGAIN) {
                try waitForRoom()
                continue
            }
            reader?.took()
            guard written > 0 else { throw failure(Int32(-written), "write to") }
            bytesWritten += written
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(written)...])
        }
    }

    /// What another program has cut off would become zeros with the next bytes.
    private func checkWhole() throws(CaptureError) {
        if let loss = file?.loss(ofWritten: bytesWritten) { throw loss }
    }

    /// - Throws: what kept earlier bytes from the disk.
    private mutating func keepSafe() throws(CaptureError) {
        guard isKept, let file else { return }
        if sync == nil { sync = try DiskSync(starting: file) }
        if let failure = sync?.note(bytesWritten) { throw failure }
    }

    /// Standard output may have been made non-blocking by whoever shares it.
    private func waitForRoom() throws(CaptureError) {
        if let reader {
            guard reader.waitForRoom() else { throw reader.error }
            return
        }
        var item = cs_poll_item(fd: descriptor, events: Int16(CS_POLL_OUT), revents: 0)
        _ = cs_poll(&item, 1, -1)
    }

    mutating func write(_ bytes: [UInt8]) throws(CaptureError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try write(bytes) }
    }

    /// Changes bytes that are written already; does nothing where that can't be done.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        guard isSeekable else { return }
        try checkWhole()
        let written = bytes.withUnsafeBytes { cs_pwrite(descriptor, $0.baseAddress, $0.count, offset) }
        guard written == bytes.count else { throw failure(written < 0 ? Int32(-written) : EIO, "write to") }
    }

    /// Cuts off what was written past `length`, such as half a cluster on a full disk.
    mutating func rewind(to length: Int64) throws(CaptureError) {
        guard let file, length <= bytesWritten, file.loss(ofWritten: length) == nil else { return }
        sync?.noteCut(to: length)
        let cut = cs_ftruncate(descriptor, length)
        guard cut >= 0 else { throw failure(-cut, "shorten") }
        _ = cs_lseek(descriptor, length, SEEK_SET)
        bytesWritten = length
    }

    func failure(_ code: Int32, _ action: String) -> CaptureError {
        .output(code, action, destination == .standardOutput ? "standard output" : destination.description)
    }
}
