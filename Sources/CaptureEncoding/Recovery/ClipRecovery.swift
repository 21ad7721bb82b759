import CaptureBase
import LinuxSystem

/// Recovery of an interrupted recording: the machine lost power, or the recorder was killed.
///
/// Everything readable is written to a new file, which is synced and then gets the clip's name. The interrupted file is never
/// changed, and removed only if the clip has every frame of it. Damage in the middle costs only the damaged part: FLAC and Opus
/// get silence of the same length in its place.
///
/// *session-bound*
public struct ClipRecovery: Sendable {
    /// Path of the interrupted file.
    public let source: String
    /// Path of the finished clip.
    public let path: String
    /// Format of both files.
    public let format: ClipFormat
    private let replacing: Bool

    /// Examines an interrupted recording without writing anything.
    /// - Parameters:
    ///   - path: `OUT.partial`, or OUT; another file is recovered under a name with `.recovered` in it.
    ///   - destination: the clip's name; `nil` for the intended name of the recording.
    ///   - replacing: replaces a file of that name.
    /// - Throws: `.badInput` if there is no such file or it is not a clip, `.busy` while it is being recorded, `.inputOutput` if
    ///   it can't be read.
    public init(of path: String, to destination: String? = nil, replacing: Bool = false) throws(CaptureError) {
        let partial = ClipOutput.partial(of: path)
        let isNamedByItsClip = !path.hasSuffix(Self.ending) && (try? FileStatus.ofLink(partial).get()) != nil
        source = isNamedByItsClip ? partial : path
        self.path = destination ?? Self.name(for: source)
        self.replacing = replacing
        format = try Self.format(of: RecoverySource(source), named: self.path)
    }

    /// Suffix of a recording that is not finished.
    package static let ending = ".partial"

    /// Default name of the clip.
    private static func name(for source: String) -> String {
        if source.hasSuffix(ending) { return String(source.dropLast(ending.count)) }
        guard let point = source.lastIndex(of: "."), !source[point...].contains("/") else {
            return source + ".recovered"
        }
        return source[..<point] + ".recovered" + source[point...]
    }

    /// Format by the first bytes; by the name if these are damaged or the format has no header.
    private static func format(of source: RecoverySource, named name: String) throws(CaptureError) -> ClipFormat {
        guard source.size > 0 else { throw source.broken("it is empty") }
        let head = try source.read(at: 0, 16)
        for (offset, magic, format) in magics where head.dropFirst(offset).starts(with: magic) {
            guard format == .matroska, try source.isWebM() else { return format }
            return .webm
        }
        guard let format = try? ClipFormat(for: .file(path: name)) else {
            throw source.broken("its format is unknown")
        }
        return format
    }

    /// First bytes of each format, from an offset; RF64 is WAV past 4 GiB, and MP4 begins with a size.
    private static let magics: [(Int, [UInt8], ClipFormat)] = [
        (0, Array("RIFF".utf8), .wav), (0, Array("RF64".utf8), .wav), (0, Array("fLaC".utf8), .flac),
        (0, Array("OggS".utf8), .opus), (0, [0x1A, 0x45, 0xDF, 0xA3], .matroska), (0, Array("YUV4MPEG2".utf8), .y4m),
        (0, [0xFF, 0xD8, 0xFF], .mjpeg), (4, Array("ftyp".utf8), .mp4),
    ]

    /// Writes the finished clip.
    /// - Parameter removingSource: removes the interrupted file once the clip is safe and has all of it.
    /// - Returns: a report of the clip and the losses.
    /// - Throws: `.fileExists`, `.busy`, `.inputOutput`, `.diskFull`, and `.badInput` if nothing can be recovered. The interrupted
    ///   file is then unchanged, and no other file is left behind.
    public func run(removingSource: Bool = true) throws(CaptureError) -> RecoveryReport {
        let input = try RecoverySource(source)
        var findings = RecoveryFindings()
        let output = try ClipOutput(recoveringInto: path, replacing: replacing)
        let bytes = try recoverer.recover(input, into: output, noting: &findings)
        // The clip may have taken the source's place, under whatever name: then it is not the source that would be
        // removed.
        let isRemoved =
            removingSource && findings.lostBytes == 0 && source.hasSuffix(Self.ending) && input.isStill(at: source)
            && (try? FileSystem.remove(source)) != nil
        return RecoveryReport(
            source: source, path: path, format: format, duration: findings.duration,
            sourceBytes: input.size, bytes: bytes, tracks: findings.tracks, losses: findings.losses,
            lostBytes: findings.lostBytes, isSourceRemoved: isRemoved)
    }

    /// Formats without structure share one recovery.
    private var recoverer: any Recoverer.Type {
        switch format {
        case .wav: WAVRecovery.self
        case .flac: FLACRecovery.self
        case .opus: OggOpusRecovery.self
        case .matroska, .webm: MatroskaRecovery.self
        case .y4m: Y4MRecovery.self
        case .mjpeg: MJPEGRecovery.self
        case .mp4: MP4Recovery.self
        case .raw, .nothing, .v4l2, .own: RawRecovery.self
        }
    }
}

/// Result of a recovery: contents of the clip, and losses.
///
/// *thread-safe*
public struct RecoveryReport: Hashable, Sendable {
    /// Path of the interrupted file.
    public let source: String
    /// Path of the finished clip.
    public let path: String
    /// Format of both files.
    public let format: ClipFormat
    /// Duration of the clip.
    public let duration: Duration
    /// Bytes of the interrupted file.
    public let sourceBytes: Int64
    /// Bytes of the finished clip.
    public let bytes: Int64
    /// Tracks in the order of the file.
    public let tracks: [RecoveredTrack]
    /// First thousand losses, in the order of the file.
    public let losses: [RecoveryLoss]
    /// Bytes of the interrupted file that hold, or once held, audio or video and are not in the
    /// clip.
    public let lostBytes: Int64
    /// The interrupted file was removed, which happens only if nothing of it was lost.
    public let isSourceRemoved: Bool

    /// Nothing was lost but what marks a file's end.
    public var isComplete: Bool { lostBytes == 0 && losses.isEmpty }

    /// Silence that replaces lost audio.
    public var silenced: Duration { losses.reduce(.zero) { $0 + $1.silenced } }

    /// Single line of JSON (RFC 8259).
    public var json: String {
        JSONValue.object([
            ("source", .string(source)), ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .nanoseconds(duration)), ("source_bytes", .integer(sourceBytes)),
            ("bytes", .integer(bytes)), ("tracks", .array(tracks.map(\.jsonValue))),
            ("losses", .array(losses.map(\.jsonValue))), ("lost_bytes", .integer(lostBytes)),
            ("silenced_ns", .nanoseconds(silenced)),
            ("source_removed", .string(isSourceRemoved ? "yes" : "no")),
        ]).text
    }
}

/// Range of an interrupted file that is not in the recovered clip.
///
/// *thread-safe*
public struct RecoveryLoss: Hashable, Sendable {
    /// Cause of the loss.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The file ends in the middle of it.
        case tornEnd = "torn_end"
        /// Its bytes are not those that were written.
        case damaged
    }

    /// Offset in the interrupted file, in bytes.
    public let offset: Int64
    /// Bytes lost.
    public let byteCount: Int64
    /// Cause of the loss.
    public let reason: Reason
    /// Silence that replaces it.
    public let silenced: Duration

    /// - Parameters:
    ///   - offset: offset in the interrupted file, bytes.
    ///   - byteCount: bytes lost.
    ///   - reason: cause of the loss.
    ///   - silenced: silence that replaces it.
    public init(offset: Int64, byteCount: Int64, reason: Reason, silenced: Duration = .zero) {
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
        self.silenced = silenced
    }

    /// Part of ``RecoveryReport/json``.
    var jsonValue: JSONValue {
        .object([
            ("offset", .integer(offset)), ("bytes", .integer(byteCount)), ("reason", .string(reason.rawValue)),
            ("silenced_ns", .nanoseconds(silenced)),
        ])
    }
}

/// Track of a recovered clip.
///
/// *thread-safe*
public struct RecoveredTrack: Hashable, Sendable {
    /// Audio or video.
    public let kind: MediaKind
    /// Name of the device; empty if the file does not contain it.
    public let name: String
    /// Video frames, or samples per channel, silence included.
    public internal(set) var frames: Int64
    /// End of the track from the clip's start; zero if the format has no timestamps.
    public internal(set) var duration: Duration

    /// Part of ``RecoveryReport/json``.
    var jsonValue: JSONValue {
        .object([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("frames", .integer(frames)),
            ("duration_ns", .nanoseconds(duration)),
        ])
    }
}

/// Tracks and losses noted during a recovery.
struct RecoveryFindings {
    var tracks: [RecoveredTrack] = []
    private(set) var losses: [RecoveryLoss] = []
    private(set) var lostBytes: Int64 = 0

    /// Losses listed at most: a file of nothing but damage must not fill the memory. Their bytes
    /// are counted all the same.
    private static let most = 1000

    /// Notes a loss. Does nothing for no bytes and no silence.
    mutating func note(
        lost offset: Int64, _ byteCount: Int64, _ reason: RecoveryLoss.Reason, silenced nanoseconds: Int64 = 0
    ) {
        guard byteCount > 0 || nanoseconds > 0 else { return }
        lostBytes += max(byteCount, 0)
        guard losses.count < Self.most else { return }
        losses.append(
            RecoveryLoss(offset: offset, byteCount: byteCount, reason: reason, silenced: .nanoseconds(nanoseconds)))
    }

    /// Duration of the longest track.
    var duration: Duration { tracks.map(\.duration).max() ?? .zero }
}

/// Recovery of one format.
///
/// *session-bound*
protocol Recoverer {
    /// Writes everything that can be kept, as a valid file.
    /// - Parameters:
    ///   - source: the interrupted file.
    ///   - output: the clip; finished on return.
    ///   - findings: receives tracks and losses.
    /// - Returns: bytes of the clip.
    /// - Throws: `.badInput` if not even the header can be understood; errors of the output.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64
}
