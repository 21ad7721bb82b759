import CaptureBase
import ClipScenery
import Foundation
import LinuxSystem

@testable import CaptureEncoding

/// A clip through a pipe, as standard output gets it.
enum Pipe {
    static func write(
        _ format: ClipFormat, _ tracks: [ClipTrack], settings: EncoderSettings = EncoderSettings(),
        _ body: (any ClipWriter) throws -> Void
    ) throws -> [UInt8] {
        let pipe = Foundation.Pipe()
        let reader = Thread.Reader(pipe.fileHandleForReading)
        let output = ClipOutput(
            destination: .standardOutput, descriptor: RawDescriptor(pipe.fileHandleForWriting.fileDescriptor))
        let writer = try format.writer(on: output, tracks: tracks, settings: settings)
        try body(writer)
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        try pipe.fileHandleForWriting.close()
        return reader.bytes()
    }
}

extension Thread {
    /// Reads to the end on a separate thread, so that a full pipe can't block the writer.
    final class Reader: @unchecked Sendable {
        // Written by the reading thread before it leaves the group, read after waiting for that.
        private var data = Data()
        private let group = DispatchGroup()

        init(_ handle: FileHandle) {
            group.enter()
            Thread.detachNewThread { [self] in
                data = handle.readDataToEndOfFile()
                group.leave()
            }
        }

        func bytes() -> [UInt8] {
            group.wait()
            return [UInt8](data)
        }
    }
}
