import CSystem
import CaptureGate

/// Finishes a recording that was interrupted: a machine that lost power, a recorder that was killed.
///
/// What is there is written into a new file, which is synced and then given the clip's name; the interrupted file is
/// not touched, and removed afterwards only if the clip has every frame of it. Where a piece in the middle is damaged,
/// the rest is kept: FLAC and Opus get silence of the same length in its place.
///
/// *session-bound*
public struct ClipRecovery: Sendable {
    /// The interrupted file.
    public let source: String
    /// The name of the finished clip.
    public let path: String
    public let format: ClipFormat
    private let replacing: Bool

    /// Looks at an interrupted recording and writes nothing.
    /// - Parameters:
    ///   - path: `OUT.partial`, or OUT; another file is recovered under a name with `.recovered` in it.
    ///   - destination: the clip's name; that which the recording was to get where it is not said.
    ///   - replacing: whether a file of that name may be replaced.
    /// - Throws: `.badInput` where there is no such file or it is no clip's, `.busy` while it is being recorded,
    ///   `.inputOutput` where it can't be read.
    public init(of path: String, to destination: String? = nil, replacing: Bool = false) throws(CaptureError) {
        let partial = ClipOutput.partial(of: path)
        var status = cs_file_status()
        let isNamedByItsClip = !path.hasSuffix(Self.ending) && cs_lstat(partial, &status) >= 0
        source = isNamedByItsClip ? partial : path
        self.path = destination ?? Self.name(for: source)
        self.replacing = replacing
        format = try Self.format(of: RecoverySource(source), named: self.path)
    }

    static let ending = ".partial"

    private static func name(for source: String) -> String {
        if source.hasSuffix(ending) { return String(source.dropLast(ending.count)) }
        guard let point = source.lastIndex(of: "."), !source[point...].contains("/") else {
            return source + ".recovered"
        }
        return source[..<point] + ".recovered" + source[point...]
    }

    /// By its first bytes, and where these are damaged by its name.
    private static func format(of source: RecoverySource, named name: String) throws(CaptureError) -> ClipFormat {
        guard source.size > 0 else { throw source.broken("it is empty") }
        let head = try source.read(at: 0, 16)
        for (magic, format) in magics where head.starts(with: magic) { return format }
        guard let format = try? ClipFormat(for: .file(path: name)) else {
            throw source.broken("neither its name nor its content tells a format")
        }
        return format
    }

    private static let magics: [([UInt8], ClipFormat)] = [
        (Array("RIFF".utf8), .wav), (Array("RF64".utf8), .wav), (Array("fLaC".utf8), .flac),
        (Array("OggS".utf8), .opus), ([0x1A, 0x45, 0xDF, 0xA3], .matroska), (Array("YUV4MPEG2".utf8), .y4m),
        ([0xFF, 0xD8, 0xFF], .mjpeg),
    ]

    /// Writes the finished clip.
    /// - Parameter removingSource: whether the interrupted file is removed once the clip is safe and has all of it.
    /// - Throws: `.fileExists`, `.busy`, `.inputOutput`, `.diskFull`, and `.badInput` where nothing can be made of it;
    ///   the interrupted file is then as it was, and no other is left behind.
    public func run(removingSource: Bool = true) throws(CaptureError) -> RecoveryReport {
        let input = try RecoverySource(source)
        var findings = RecoveryFindings()
        let output = try ClipOutput(recoveringInto: path, replacing: replacing)
        let bytes = try recoverer.recover(input, into: output, noting: &findings)
        // The clip may have taken its place, under whatever name.
        let isRemoved =
            removingSource && findings.lostBytes == 0 && source.hasSuffix(Self.ending) && input.isStill(at: source)
            && cs_unlink(source) >= 0
        return RecoveryReport(
            source: source, path: path, format: format, durationNanoseconds: findings.durationNanoseconds,
            sourceBytes: input.size, bytes: bytes, tracks: findings.tracks, losses: findings.losses,
            lostBytes: findings.lostBytes, isSourceRemoved: isRemoved)
    }

    private var recoverer: any Recoverer.Type {
        switch format {
        case .wav: WAVRecovery.self
        case .flac: FLACRecovery.self
        case .opus: OggOpusRecovery.self
        case .matroska: MatroskaRecovery.self
        case .y4m: Y4MRecovery.self
        case .mjpeg: MJPEGRecovery.self
        case .raw, .nothing: RawRecovery.self
        }
    }
}

/// What became of an interrupted recording: what the finished clip has of it, and what it has not.
///
/// *thread-safe*
public struct RecoveryReport: Hashable, Sendable {
    /// The interrupted file.
    public let source: String
    /// The finished clip.
    public let path: String
    public let format: ClipFormat
    /// From the clip's start to its end, nanoseconds.
    public let durationNanoseconds: Int64
    /// Of the interrupted file.
    public let sourceBytes: Int64
    /// Of the finished clip.
    public let bytes: Int64
    public let tracks: [RecoveredTrack]
    /// The first thousand, in the order of the file.
    public let losses: [RecoveryLoss]
    /// Bytes of the interrupted file that hold sound or pictures, or did, and are not in the clip.
    public let lostBytes: Int64
    /// Whether the interrupted file was removed: only where nothing of it was lost.
    public let isSourceRemoved: Bool

    /// Whether nothing was lost but what tells a file's end.
    public var isComplete: Bool { lostBytes == 0 && losses.isEmpty }

    public var duration: Duration { .nanoseconds(durationNanoseconds) }

    /// How much silence stands for what was lost, nanoseconds.
    public var silencedNanoseconds: Int64 { losses.reduce(0) { $0 + $1.silencedNanoseconds } }

    /// One line of JSON (RFC 8259).
    public var json: String {
        JSONText.object([
            ("source", .string(source)), ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .integer(durationNanoseconds)), ("source_bytes", .integer(sourceBytes)),
            ("bytes", .integer(bytes)), ("tracks", .array(tracks.map(\.jsonText))),
            ("losses", .array(losses.map(\.jsonText))), ("lost_bytes", .integer(lostBytes)),
            ("silenced_ns", .integer(silencedNanoseconds)),
            ("source_removed", .string(isSourceRemoved ? "yes" : "no")),
        ]).rendered
    }
}

/// A piece of an interrupted recording that is not in the finished clip.
///
/// *thread-safe*
public struct RecoveryLoss: Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The file ends in the middle of it.
        case tornEnd = "torn_end"
        /// Its bytes are not what was written.
        case damaged
    }

    /// Where it began in the interrupted file, bytes.
    public let offset: Int64
    public let byteCount: Int64
    public let reason: Reason
    /// How much silence stands in its place, nanoseconds.
    public let silencedNanoseconds: Int64

    public init(offset: Int64, byteCount: Int64, reason: Reason, silencedNanoseconds: Int64 = 0) {
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
        self.silencedNanoseconds = silencedNanoseconds
    }

    var jsonText: JSONText {
        .object([
            ("offset", .integer(offset)), ("bytes", .integer(byteCount)), ("reason", .string(reason.rawValue)),
            ("silenced_ns", .integer(silencedNanoseconds)),
        ])
    }
}

/// What a finished clip has of one track.
///
/// *thread-safe*
public struct RecoveredTrack: Hashable, Sendable {
    public let kind: MediaKind
    /// The device's name, where the file has it.
    public let name: String
    /// Pictures, or samples of each channel, silence included.
    public internal(set) var frames: Int64
    public internal(set) var durationNanoseconds: Int64

    var jsonText: JSONText {
        .object([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("frames", .integer(frames)),
            ("duration_ns", .integer(durationNanoseconds)),
        ])
    }
}

/// What a recovery notes while it reads.
struct RecoveryFindings {
    var tracks: [RecoveredTrack] = []
    private(set) var losses: [RecoveryLoss] = []
    private(set) var lostBytes: Int64 = 0

    /// A file of nothing but faults must not fill the memory.
    private static let most = 1000

    mutating func note(
        lost offset: Int64, _ byteCount: Int64, _ reason: RecoveryLoss.Reason, silenced nanoseconds: Int64 = 0
    ) {
        guard byteCount > 0 || nanoseconds > 0 else { return }
        lostBytes += max(byteCount, 0)
        guard losses.count < Self.most else { return }
        losses.append(
            RecoveryLoss(offset: offset, byteCount: byteCount, reason: reason, silencedNanoseconds: nanoseconds))
    }

    var durationNanoseconds: Int64 { tracks.map(\.durationNanoseconds).max() ?? 0 }
}

/// Finishes the recordings of one format.
///
/// *session-bound*
protocol Recoverer {
    /// Writes all that can be kept, as a file that is whole.
    /// - Throws: `.badInput` where not even the head can be understood; what the output throws.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64
}
