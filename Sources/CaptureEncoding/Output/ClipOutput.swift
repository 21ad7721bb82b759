import CaptureBase
import LinuxSystem

/// The bytes of a clip on their way: `OUT.partial`, which becomes OUT when it is finished; standard output; or nothing.
///
/// Written bytes reach the disk once a second; a file that another program cuts or removes takes no more.
/// Released without being finished, it removes a partial file that nothing was recorded into, and keeps any other.
///
/// *session-bound*
public struct ClipOutput: ~Copyable, Sendable {
    public let destination: ClipDestination
    /// True where written bytes can be changed later.
    public let isSeekable: Bool
    /// Bytes written at the end; patches don't count.
    public private(set) var bytesWritten: Int64 = 0
    /// `.none` for nothing and once closed.
    package var descriptor: RawDescriptor
    package let replacing: Bool
    /// `nil` where it is no file.
    package let file: PartialFile?
    /// True where the written bytes are of use although the file was never finished.
    let isKept: Bool
    /// Stores what is written while more comes; `nil` until something was, and where nothing of it is kept.
    package var sync: DiskSync?
    /// Gives it its name later; at once where there is none.
    package var finishing: FinishingQueue?
    /// The most bytes it may have; `nil` as many as there is room for.
    package var limit: Int64?
    /// The reader of standard output; `nil` where it goes elsewhere.
    package var reader: OutputReader?

    /// - Parameter isKept: not so of half a picture, and of half a recovery, whose interrupted recording is still there.
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

    /// Appends all of it.
    /// - Throws: `.diskFull`, ``CaptureError/sizeReached`` or `.inputOutput`, also of what was written before and could not be
    ///   stored. Part of it may be there: see `rewind(to:)`.
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
                // A file system that takes nothing and says nothing would be asked for ever.
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

    /// Bytes that another program has cut off would become zeros with the next write.
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
        _ = Poll.wait(for: descriptor.number, .output, milliseconds: -1)
    }

    package mutating func write(_ bytes: [UInt8]) throws(CaptureError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try write(bytes) }
    }

    /// Changes bytes that are written already; does nothing where that can't be done.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        guard isSeekable else { return }
        try checkWhole()
        do throws(Errno) {
            guard try descriptor.write(bytes, at: offset) == bytes.count else { throw .ioError }
        } catch {
            throw failure(error, "write to")
        }
    }

    /// Cuts off what was written past `length`, such as half a cluster on a full disk.
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
    /// Makes it durable and gives it its name; later, where it has a queue for that.
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

    /// Removes what was written.
    package mutating func discard() {
        guard let file, descriptor != .none else { return }
        file.remove()
        Self.close(file, sync)
        descriptor = .none
    }

    /// Without waiting for a disk that is behind.
    package static func close(_ file: PartialFile, _ sync: DiskSync?) {
        file.steps.reached(.close)
        if let sync { sync.close() } else { file.descriptor.close() }
    }
}
