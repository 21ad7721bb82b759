import CaptureBase
import LinuxSystem

/// Destination of a clip's bytes: `OUT.partial`, which becomes OUT when it is finished; standard output; or nothing.
///
/// Written bytes are synced to the disk once a second; a file that another program truncates or removes takes no more. An
/// output that is released unfinished removes its partial file if that is empty, and otherwise keeps it.
///
/// *session-bound*
public struct ClipOutput: ~Copyable, Sendable {
    public let destination: ClipDestination
    /// True if written bytes can be changed later.
    public let isSeekable: Bool
    /// Bytes written at the end; patches don't count.
    public private(set) var bytesWritten: Int64 = 0
    /// `.none` for no destination, and once closed.
    package var descriptor: RawDescriptor
    package let replacing: Bool
    /// `nil` if the destination is no file.
    package let file: PartialFile?
    /// True if the written bytes are useful although the file was never finished.
    let isKept: Bool
    /// Syncs written bytes while more come; `nil` until the first write, and if an unfinished file is not kept.
    package var sync: DiskSync?
    /// Queue that names the file later; `nil` to name it at once.
    package var finishing: FinishingQueue?
    /// Most bytes of the clip; `nil` for no limit but the disk.
    package var limit: Int64?
    /// The reader of standard output; `nil` for other destinations.
    package var reader: OutputReader?

    /// - Parameter isKept: false for a half-written still, and for a half-written recovery, whose source still exists.
    init(
        destination: ClipDestination, file: PartialFile? = nil, descriptor: RawDescriptor, replacing: Bool = false,
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
        guard let file, descriptor != .none else { return }
        if bytesWritten == 0 || !isKept { file.remove() }
        Self.close(file, sync)
    }

    static let partialSuffix = ".partial"

    package static func partial(of path: String) -> String { path + partialSuffix }

    /// Appends all bytes.
    /// - Throws: `.diskFull`, ``CaptureError/sizeReached`` or `.inputOutput`, also for earlier bytes that could not be stored.
    ///   Part of the bytes may have been written: see `rewind(to:)`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
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
            let written: Int
            do throws(Errno) {
                let most = UnsafeRawBufferPointer(
                    start: rest.baseAddress, count: min(rest.count, reader?.atOnce ?? .max))
                written = try descriptor.write(most)
                // A file system that writes nothing and reports no error would be retried for ever.
                guard written > 0 else { throw Errno(0) }
            } catch {
                guard error == .wouldBlock else {
                    reader?.took()
                    throw failure(error, "write to")
                }
                try waitForRoom()
                continue
            }
            reader?.took()
            bytesWritten += Int64(written)
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Checks that the file was not truncated: the next write would fill the hole with zeros.
    private func checkWhole() throws(CaptureError) {
        if let loss = file?.loss(ofWritten: bytesWritten) { throw loss }
    }

    /// - Throws: the error that kept earlier bytes from the disk.
    private mutating func keepSafe() throws(CaptureError) {
        guard isKept, let file else { return }
        if sync == nil { sync = try DiskSync(starting: file) }
        if let failure = sync?.note(bytesWritten) { throw failure }
    }

    /// Waits for a non-blocking standard output: a process that shares it may have set that.
    private func waitForRoom() throws(CaptureError) {
        if let reader {
            guard reader.waitForRoom() else { throw reader.error }
            return
        }
        _ = Poll.wait(for: descriptor.number, .output, milliseconds: -1)
    }

    package mutating func write(_ bytes: [UInt8]) throws(CaptureError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try write(bytes) }
    }

    /// Overwrites written bytes; does nothing if the output is not seekable.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        guard isSeekable else { return }
        try checkWhole()
        do throws(Errno) {
            guard try descriptor.write(bytes, at: offset) == bytes.count else { throw .ioError }
        } catch {
            throw failure(error, "write to")
        }
    }

    /// Cuts off bytes past `length`, such as half a cluster on a full disk.
    mutating func rewind(to length: Int64) throws(CaptureError) {
        guard let file, length <= bytesWritten, file.loss(ofWritten: length) == nil else { return }
        sync?.noteCut(to: length)
        do throws(Errno) {
            try descriptor.truncate(to: length)
        } catch {
            throw failure(error, "shorten")
        }
        try? descriptor.seek(to: length)
        bytesWritten = length
    }

    package func failure(_ code: Errno, _ action: String) -> CaptureError {
        .output(code, action, destination == .standardOutput ? "standard output" : destination.description)
    }
}

extension ClipOutput {
    /// Makes the file durable and gives it its name; later, if it has a queue for that.
    /// - Throws: as `FileCommit.run()`.
    package mutating func finish() throws(CaptureError) {
        guard case .file(let path) = destination, let file, descriptor != .none else { return }
        let last = FileCommit(file: file, length: bytesWritten, path: path, replacing: replacing, sync: sync)
        if let finishing {
            finishing.add(last)
        } else {
            try last.run()
            last.close()
        }
        descriptor = .none
    }

    /// Writes all there is to be and finishes, or discards the file: half of it is of no use.
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
        guard let file, descriptor != .none else { return }
        file.remove()
        Self.close(file, sync)
        descriptor = .none
    }

    /// Closes the file without waiting for a slow disk.
    package static func close(_ file: PartialFile, _ sync: DiskSync?) {
        file.steps.reached(.close)
        if let sync { sync.close() } else { file.descriptor.close() }
    }
}
