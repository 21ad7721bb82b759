import CaptureBase
import LinuxSystem

/// Destination of a clip's bytes: `OUT.partial`, which becomes OUT when it is finished; standard output; or nothing.
///
/// Written bytes are synced to the disk once a second; a file that another program truncates or removes gets no more. An output
/// that is released unfinished removes its partial file if that is empty, and otherwise keeps it.
///
/// With a queue, bytes are accepted at once and written by a separate thread; any later call throws its errors.
///
/// *session-bound*
public struct ClipOutput: ~Copyable, Sendable {
    public let destination: ClipDestination
    /// True if written bytes can be changed later.
    public let isSeekable: Bool
    package let replacing: Bool
    /// Queue that names the file later; `nil` to name it at once.
    package var finishing: FinishingQueue?
    /// Maximum bytes of the clip; `nil` for no limit but the disk.
    package var limit: Int64?
    /// The descriptor and the bytes written to it, while there is no queue.
    private var sink: OutputSink
    /// Bytes that wait to be written; `nil` if each write waits for the disk or the reader.
    private var queue: OutputQueue?
    /// Bytes written at the end, and those that wait to be; patches don't count.
    public private(set) var bytesWritten: Int64 = 0
    private var isOver = false

    /// - Parameter isKept: false for a half-written still, and for a half-written recovery, whose source still exists.
    init(
        destination: ClipDestination, file: PartialFile? = nil, descriptor: RawDescriptor, replacing: Bool = false,
        isKept: Bool = false, reader: OutputReader? = nil
    ) {
        self.destination = destination
        self.replacing = replacing
        sink = OutputSink(destination, descriptor, file: file, isKept: isKept, reader: reader)
        isSeekable = file != nil
    }

    deinit {
        let sink = queue?.end().sink ?? sink
        guard let file, !isOver else { return }
        if sink.bytesWritten == 0 || !sink.isKept { file.remove() }
        sink.close()
    }

    static let partialSuffix = ".partial"

    package static func partial(of path: String) -> String { path + partialSuffix }

    /// Bytes of `bytesWritten` that are written.
    var bytesStored: Int64 { queue?.bytesStored ?? sink.bytesWritten }
    /// `nil` if the destination is no file.
    package var file: PartialFile? { sink.file }
    /// The reader of standard output or of another pipe; `nil` for other destinations.
    package var reader: OutputReader? { sink.reader }
    /// True while bytes may wait to be written.
    var hasQueue: Bool { queue != nil }

    /// Lets bytes wait in memory from now on, so that a slow disk or a reader that pauses does not hold the caller up.
    /// - Parameter capacity: bytes that may wait: with more, the caller waits. 0 for no queue.
    /// - Throws: `.inputOutput` if no more threads are allowed.
    package mutating func buffer(_ capacity: Int) throws(CaptureError) {
        guard capacity > 0, queue == nil, destination != .nothing else { return }
        queue = try OutputQueue(starting: sink, capacity: capacity)
    }

    /// Appends all bytes.
    /// - Throws: `.diskFull`, ``CaptureError/sizeReached`` or `.inputOutput`, also for earlier bytes that could not be stored.
    ///   Part of the bytes may have been written: see `rewind(to:)`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        if let limit, bytesWritten + Int64(bytes.count) > limit { throw .sizeReached }
        if let queue {
            try queue.add(bytes)
            bytesWritten += Int64(bytes.count)
        } else {
            defer { bytesWritten = sink.bytesWritten }
            try sink.write(bytes)
        }
    }

    package mutating func write(_ bytes: [UInt8]) throws(CaptureError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try write(bytes) }
    }

    /// Overwrites written bytes; does nothing if the output is not seekable.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        guard isSeekable else { return }
        if let queue { try queue.add(patch: bytes, at: offset) } else { try sink.patch(bytes, at: offset) }
    }

    /// Waits until nothing is left to be written; from then on, each write waits itself.
    /// - Throws: the error that kept bytes from being written. `bytesWritten` then shows how many are.
    mutating func settle() throws(CaptureError) {
        guard let ended = queue.take()?.end() else { return }
        sink = ended.sink
        bytesWritten = sink.bytesWritten
        if let failure = ended.failure { throw failure }
    }

    /// Waits as `settle()` does. Where the file is named later, and the disk stalls, that waits instead of the caller.
    mutating func settleToFinish() throws(CaptureError) {
        if finishing == nil || queue?.isEmpty(within: Self.patience) ?? true { try settle() }
    }

    /// Time for a disk that does not stall, while the next frames wait in their ring; nanoseconds.
    private static let patience = 50_000_000

    /// Inserts zeros between written bytes without copying any: ext4, XFS and F2FS move their blocks, and other file systems can't
    /// do it. No bytes may be waiting in the queue.
    /// - Parameters:
    ///   - count: a multiple of ``insertedBlock``.
    ///   - offset: another multiple, before the end.
    /// - Returns: false, with nothing changed, if it can't be done.
    mutating func insertZeros(_ count: Int64, at offset: Int64) -> Bool {
        guard isSeekable, queue == nil, bytesWritten + count <= limit ?? .max else { return false }
        defer { bytesWritten = sink.bytesWritten }
        return sink.insertZeros(count, at: offset)
    }

    /// Blocks in which zeros are inserted: those of nearly every file system, in bytes.
    static let insertedBlock: Int64 = 4096

    /// Cuts off bytes past `length`, such as half a cluster on a full disk.
    mutating func rewind(to length: Int64) throws(CaptureError) {
        try? settle()
        defer { bytesWritten = sink.bytesWritten }
        try sink.cut(to: length)
    }
}

extension ClipOutput {
    /// Makes the file durable and gives it its name; later, if it has a queue for that.
    /// - Throws: as `FileCommit.run()`.
    package mutating func finish() throws(CaptureError) {
        guard case .file(let path) = destination, let file, !isOver else { return try settle() }
        if finishing == nil { try settle() }
        let last = FileCommit(
            file: file, length: bytesWritten, path: path, replacing: replacing, sync: sink.sync, queue: queue.take())
        if let finishing {
            finishing.add(last)
        } else {
            try last.run()
            last.close()
        }
        isOver = true
    }

    /// Writes all bytes and finishes, or discards the file: half of it is useless.
    package mutating func finish(with bytes: [UInt8]) throws(CaptureError) {
        do throws(CaptureError) {
            try write(bytes)
            try finish()
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the written bytes.
    package mutating func discard() {
        if let ended = queue.take()?.cancel() { sink = ended.sink }
        guard let file, !isOver else { return }
        file.remove()
        sink.close()
        isOver = true
    }

    /// Closes the file without waiting for a slow disk.
    package static func close(_ file: PartialFile, _ sync: DiskSync?) {
        file.steps.reached(.close)
        if let sync { sync.close() } else { file.descriptor.close() }
    }
}
