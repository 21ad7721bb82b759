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
