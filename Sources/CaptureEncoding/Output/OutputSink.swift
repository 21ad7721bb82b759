import CaptureBase
import LinuxSystem

/// Descriptor of a clip's output, and the bytes that were written to it: each call waits for the disk or the reader.
///
/// *session-bound*
struct OutputSink: Sendable {
    let descriptor: RawDescriptor
    /// `nil` if the destination is no file.
    let file: PartialFile?
    /// The reader of a pipe; `nil` for other destinations.
    let reader: OutputReader?
    /// True if the written bytes are useful although the file was never finished.
    let isKept: Bool
    /// Bytes written at the end; patches don't count.
    private(set) var bytesWritten: Int64 = 0
    /// Syncs written bytes while more come; `nil` until the first write, and if an unfinished file is not kept.
    private(set) var sync: DiskSync?
    private let destination: ClipDestination

    /// - Parameters:
    ///   - destination: of the clip, for people.
    ///   - descriptor: `.none` to count and discard.
    ///   - file: of a destination that is one.
    ///   - isKept: false if an unfinished file is of no use.
    ///   - reader: of a destination that is a pipe.
    init(
        _ destination: ClipDestination, _ descriptor: RawDescriptor, file: PartialFile?, isKept: Bool,
        reader: OutputReader?
    ) {
        self.destination = destination
        self.descriptor = descriptor
        self.file = file
        self.isKept = isKept
        self.reader = reader
    }

    /// Appends all bytes.
    /// - Throws: `.diskFull` or `.inputOutput`, also for earlier bytes that could not be stored. `bytesWritten` shows how many
    ///   were written.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        guard destination != .nothing else {
            bytesWritten += Int64(bytes.count)
            return
        }
        try checkWhole()
        try append(bytes)
        try keepSafe()
    }

    /// Appends all bytes, or those that still fit on a full disk.
    /// - Throws: as `write(_:)`.
    mutating func writeWhatFits(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        let end = bytesWritten + Int64(bytes.count)
        var most = bytes.count
        while bytesWritten < end {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.suffix(Int(end - bytesWritten)))
            do throws(CaptureError) {
                try write(UnsafeRawBufferPointer(rebasing: rest.prefix(most)))
            } catch {
                // Some file systems take all of a write or nothing.
                most = min(most, rest.count) / 2
                guard error.kind == .diskFull, most > 0 else { throw error }
            }
        }
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

    /// Overwrites written bytes of a file.
    func patch(_ bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        try checkWhole()
        do throws(Errno) {
            guard try descriptor.write(bytes, at: offset) == bytes.count else { throw .ioError }
        } catch {
            throw failure(error, "write to")
        }
    }

    /// Cuts off bytes past `length`; a pipe keeps them.
    mutating func cut(to length: Int64) throws(CaptureError) {
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

    /// Inserts zeros between written bytes; see `ClipOutput.insertZeros(_:at:)`.
    mutating func insertZeros(_ count: Int64, at offset: Int64) -> Bool {
        do throws(Errno) {
            try descriptor.insertZeros(count, at: offset)
            bytesWritten += count
            try descriptor.seek(to: bytesWritten)
        } catch {
            return false
        }
        return true
    }

    /// Closes a file without waiting for a slow disk.
    func close() { if let file { ClipOutput.close(file, sync) } }

    private func failure(_ code: Errno, _ action: String) -> CaptureError {
        if code == .brokenPipe, reader != nil { return .readerGone(destination) }
        return .output(code, action, destination == .standardOutput ? "standard output" : destination.description)
    }
}
