import CaptureBase
import ClipScenery
import Foundation
import Glibc
import Testing

@testable import CaptureEncoding
@testable import CaptureRecording

/// Example of a failure that these find: another user's pipe at `clip.mkv.partial` in a shared directory gets the recording.
@Suite("What lies under a partial name", .timeLimit(.minutes(2)))
struct HostileLeftoverTests {
    /// All who write a file that has its name only once it is whole.
    enum Writer: String, CaseIterable, Sendable {
        case recording, forced, tee, segment, laterSegment, recovery, picture, forcedPicture

        /// The partial name that it wants for `a`.
        var partial: String {
            switch self {
            case .recording, .forced, .tee: "a.wav.partial"
            case .segment: "a-0001.wav.partial"
            case .laterSegment: "a-0002.wav.partial"
            case .recovery: "a.wav.recovering"
            case .picture, .forcedPicture: "a.png.partial"
            }
        }

        /// Opens it as its command does, and writes if possible.
        func open(in scratch: Scratch) throws {
            let wav = ClipDestination.file(path: scratch.path("a.wav"))
            switch self {
            case .recording: _ = try ClipOutput(opening: wav)
            case .forced: _ = try ClipOutput(opening: wav, replacing: true)
            case .tee:
                let first = try RecordingTarget(.file(path: scratch.path("b.wav")))
                defer { first.discard() }
                _ = try RecordingTarget(wav)
            case .segment, .laterSegment: _ = try RecordingTarget(wav, segment: .seconds(1))
            case .recovery: _ = try ClipRecovery(of: scratch.path("source.wav"), to: scratch.path("a.wav")).run()
            case .picture, .forcedPicture:
                let files = try SnapshotFiles(
                    .file(path: scratch.path("a.png")), replacing: self == .forcedPicture)
                _ = try files.store([1, 2, 3], number: 1)
            }
        }
    }

    @Test(
        "is refused with a sentence and left as it is, whoever wants to write there",
        arguments: HostileLeftover.possible, Writer.allCases)
    func refused(leftover: HostileLeftover, writer: Writer) throws {
        // Your own file that can only be read, half an image or half a recovery, does not block.
        if leftover == .readOnly, [.recovery, .forcedPicture].contains(writer) { return }
        let scratch = try Scratch()
        let (source, _) = try Interrupted.wav.bytes(scratch)
        try scratch.write(source, to: "source.wav")
        let path = scratch.path(writer.partial)
        try leftover.make(at: path, in: scratch)
        let (names, before) = (scratch.names, Untouched(path))
        let precious = Untouched(scratch.path("precious"))
        let error = try #require(throws: CaptureError.self) { try writer.open(in: scratch) }
        #expect([.fileExists, .inputOutput].contains(error.kind), "\(error)")
        #expect(error.message.contains(path), "\(error.message)")
        #expect(scratch.names == names)
        #expect(Untouched(path) == before)
        #expect(Untouched(scratch.path("precious")) == precious)
    }

    @Test("of one's own is replaced by force, not written into: another name of it made meanwhile keeps its bytes")
    func replaced() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.png")
        try scratch.write([7, 7, 7, 7, 7], to: "a.png.partial")
        // Made between the last check and the first byte.
        let steps = OutputSteps { step in
            if step == .remove { _ = Glibc.link(path + ".partial", path + ".other") }
        }
        var output = try ClipOutput(
            opening: .file(path: path), replacing: true, over: .picture(isReplaceable: true), steps: steps)
        try output.write([1, 2])
        try output.finish()
        #expect(try Scratch.read(path) == [1, 2])
        #expect(try Scratch.read(path + ".other") == [7, 7, 7, 7, 7])
    }

    @Test("a clip is not written over by a recorder that looked before the other one finished")
    func late() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.raw")
        let steps = OutputSteps { step in
            guard step == .make else { return }
            try? Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        }
        let error = try #require(throws: CaptureError.self) {
            _ = try ClipOutput(opening: .file(path: path), replacing: false, over: .recording, steps: steps)
        }
        #expect(error.kind == .fileExists)
        #expect(scratch.names == ["a.raw"])
        #expect(try Scratch.read(path) == [1, 2, 3])
    }

    enum Swap: String, CaseIterable, Sendable {
        case file, link, pipe, nothing
    }

    @Test(
        "what takes its place before it is renamed, or while it is, goes under nobody's name", arguments: Swap.allCases)
    func swapped(swap: Swap) throws {
        for moment in [OutputSteps.Step.check, .rename] {
            let scratch = try Scratch()
            let path = scratch.path("a.raw")
            let steps = OutputSteps { step in
                // The first check is before anything was written.
                guard step == moment, access(path + ".ready", F_OK) == 0 else { return }
                unlink(path + ".partial")
                switch swap {
                case .file: try? Data([9]).write(to: URL(fileURLWithPath: path + ".partial"))
                case .link: symlink("/etc/passwd", path + ".partial")
                case .pipe: mkfifo(path + ".partial", 0o600)
                case .nothing: break
                }
            }
            var output = try ClipOutput(
                opening: .file(path: path), replacing: false, over: .recording, steps: steps)
            try output.write([1, 2, 3])
            try scratch.write([], to: "a.raw.ready")
            let error = try #require(throws: CaptureError.self) { try output.finish() }
            #expect(error.kind == .inputOutput)
            output.discard()
            #expect(scratch.names == (swap == .nothing ? ["a.raw.ready"] : ["a.raw.partial", "a.raw.ready"]))
        }
    }

    enum Node: String, CaseIterable, Sendable {
        case pipe, danglingLink, linkToDevice, linkToDescriptor, folder, linkToFolder
    }

    @Test("nor does --force replace what is no file, or a link to what is none", arguments: Node.allCases)
    func noFile(node: Node) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.wav")
        // As where standard output goes to a file: /dev/stdout leads to that.
        let open = open(scratch.path("out"), O_RDWR | O_CREAT, 0o600)
        defer { close(open) }
        switch node {
        case .pipe: mkfifo(path, 0o600)
        case .danglingLink: symlink("nowhere", path)
        case .linkToDevice: symlink("/dev/null", path)
        case .linkToDescriptor: symlink("/proc/self/fd/\(open)", path)
        case .folder: mkdir(path, 0o700)
        case .linkToFolder: symlink(".", path)
        }
        let (names, before) = (scratch.names, Untouched(path))
        let error = try #require(throws: CaptureError.self) {
            _ = try ClipOutput(opening: .file(path: path), replacing: true)
        }
        #expect(error.kind == .usage)
        #expect(scratch.names == names && Untouched(path) == before)
    }

    @Test("--force replaces a link to a file, and leaves the file")
    func linkToFile() throws {
        let scratch = try Scratch()
        try scratch.write([7], to: "mine")
        symlink("mine", scratch.path("a.raw"))
        var output = try ClipOutput(opening: .file(path: scratch.path("a.raw")), replacing: true)
        try output.write([1])
        try output.finish()
        #expect(try Scratch.read(scratch.path("mine")) == [7])
        #expect(try Scratch.read(scratch.path("a.raw")) == [1])
    }
}
