import CaptureBase

/// Recovery of RIFF WAVE and RF64: the header's sizes follow the file's, down to whole frames.
enum WAVRecovery: Recoverer {
    /// As ``Recoverer/recover(_:into:noting:)``. Samples have no checksum: damaged ones can't be
    /// found.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        guard let head = WAVHeader(try source.read(at: 0, WAVHeader.most)) else {
            throw source.broken("its audio header is damaged")
        }
        // The header is created again, by the code that writes it in a recording.
        let track = ClipTrack(.audio(head.format), name: "", device: "")
        let stream = try WAVStream(track)
        let held = head.dataBytes(inFileOf: source.size)
        let frameBytes = Int64(PCMEncoder.storedBytesPerFrame(head.format))
        // Whole frames only; the rest is the frame that was being written.
        let totals = StreamTotals(frames: held / frameBytes, bytes: held / frameBytes * frameBytes)
        stream.setTotals(totals)
        var output = output
        try output.write(stream.head)
        try source.copy(from: Int64(head.dataAt), totals.bytes, to: &output)
        try output.write(stream.tail(totals))
        try output.finish()
        // Of the data alone: a torn header has been refused above.
        findings.note(lost: Int64(head.dataAt) + totals.bytes, held - totals.bytes, .tornEnd)
        findings.tracks = [
            RecoveredTrack(
                kind: .audio, name: "", frames: totals.frames,
                duration: .nanoseconds(head.format.nanoseconds(ofFrames: totals.frames)))
        ]
        return output.bytesWritten
    }
}

/// Header of a WAV file, read without trust.
struct WAVHeader: Hashable {
    /// Format of the samples.
    let format: AudioFormat
    /// Offset of the samples.
    let dataAt: Int
    /// Length of the data by the header; `nil` for "until the end".
    let saidBytes: Int64?

    /// Longest header that is looked at, in bytes.
    static let most = 4096

    /// - Returns: `nil` if `fmt ` or `data` is missing, or the format is not one of ours.
    init?(_ bytes: [UInt8]) {
        guard let description = Self.find("fmt ", in: bytes, from: 0),
            let format = Self.format(bytes, description + 8),
            let data = Self.find("data", in: bytes, from: description + 24)
        else { return nil }
        self.format = format
        dataAt = data + 8
        saidBytes = Self.length(bytes, data)
    }

    /// Finds a chunk by its name alone: sizes of the chunks ahead of it may be damaged.
    private static func find(_ name: String, in bytes: [UInt8], from start: Int) -> Int? {
        let name = Array(name.utf8)
        guard bytes.count >= start + 8 else { return nil }
        return (start...bytes.count - 8).first { bytes[$0..<$0 + 4].elementsEqual(name) }
    }

    /// Length of the data chunk; past 4 GiB that of ds64 (EBU Tech 3306).
    private static func length(_ bytes: [UInt8], _ data: Int) -> Int64? {
        let short = Int64(LittleEndian.number(bytes, at: data + 4, 4))
        guard short == 0xFFFF_FFFF else { return short }
        guard bytes.count >= 36, bytes.starts(with: Array("RF64".utf8)),
            LittleEndian.number(bytes, at: 28, 8) <= Int64.max
        else {
            return nil
        }
        return Int64(LittleEndian.number(bytes, at: 28, 8))
    }

    /// Format by tag, bits and frame size, which must agree.
    private static func format(_ bytes: [UInt8], _ at: Int) -> AudioFormat? {
        guard bytes.count >= at + 16 else { return nil }
        var tag = Int(LittleEndian.number(bytes, at: at, 2))
        if tag == 0xFFFE, bytes.count >= at + 26 { tag = Int(LittleEndian.number(bytes, at: at + 24, 2)) }
        let (channels, rate) = (
            Int(LittleEndian.number(bytes, at: at + 2, 2)), Int(LittleEndian.number(bytes, at: at + 4, 4))
        )
        let (frameBytes, bits) = (
            Int(LittleEndian.number(bytes, at: at + 12, 2)), Int(LittleEndian.number(bytes, at: at + 14, 2))
        )
        let known: [SampleFormat: (Int, Int)] = [.s16: (1, 16), .s24Packed: (1, 24), .s32: (1, 32), .float32: (3, 32)]
        guard let sample = known.first(where: { $0.value == (tag, bits) })?.key else { return nil }
        let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: sample)
        guard (try? format.checkValues()) != nil, format.bytesPerFrame == frameBytes else { return nil }
        return format
    }

    /// Bytes of samples in the file.
    ///
    /// The data is written ahead of the header's sizes, so the file's own size counts; only a
    /// padding byte at an odd end does not.
    func dataBytes(inFileOf size: Int64) -> Int64 {
        let rest = max(size - Int64(dataAt), 0)
        guard let saidBytes, saidBytes % 2 == 1, saidBytes == rest - 1 else { return rest }
        return saidBytes
    }
}

/// Recovery of YUV4MPEG2: frames are of one size, so each is found even if the one ahead of it is
/// damaged.
enum Y4MRecovery: Recoverer {
    /// As ``Recoverer/recover(_:into:noting:)``. Frame headers are created again; pixels have no checksum.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        guard let head = Y4MHeader(try source.read(at: 0, Y4MHeader.most)) else {
            throw source.broken("its first line is damaged")
        }
        var output = output
        try output.write(head.bytes)
        let frame = Y4MHeader.frameLine.count + head.pictureBytes
        // Whole frames only; the rest is the frame that was being written.
        let pictures = (source.size - Int64(head.bytes.count)) / Int64(frame)
        for number in 0..<pictures {
            let start = Int64(head.bytes.count) + number * Int64(frame)
            try output.write(Y4MHeader.frameLine)
            try source.copy(from: start + Int64(Y4MHeader.frameLine.count), Int64(head.pictureBytes), to: &output)
        }
        try output.finish()
        let end = Int64(head.bytes.count) + pictures * Int64(frame)
        findings.note(lost: end, source.size - end, .tornEnd)
        findings.tracks = [
            RecoveredTrack(
                kind: .video, name: "", frames: pictures,
                // The rate comes from the file: it must not overflow into a trap.
                duration: .nanoseconds(
                    pictures.multipliedReportingOverflow(by: head.frameRate.frameNanoseconds).partialValue))
        ]
        return output.bytesWritten
    }
}

/// Header line of a YUV4MPEG2 file, read without trust.
struct Y4MHeader: Hashable {
    /// The line with its newline, which is copied as it is.
    let bytes: [UInt8]
    /// Bytes of a frame without its own header.
    let pictureBytes: Int
    let frameRate: FrameRate

    /// Longest header that is looked at, in bytes.
    static let most = 256
    /// Header of each frame as this module writes it: without parameters.
    static let frameLine = Array("FRAME\n".utf8)

    /// - Returns: `nil` if size or rate is missing, or the sampling is not one of ours.
    init?(_ start: [UInt8]) {
        guard let end = start.firstIndex(of: 0x0A) else { return nil }
        bytes = Array(start[...end])
        let words = String(decoding: start[..<end], as: UTF8.self).split(separator: " ")
        func value(_ letter: Character) -> Substring? { words.dropFirst().first { $0.first == letter }?.dropFirst() }
        guard words.first == "YUV4MPEG2", let width = Int(value("W") ?? ""), let height = Int(value("H") ?? ""),
            (1...16_384).contains(width), (1...16_384).contains(height), let rate = Self.rate(value("F") ?? ""),
            let sampling = ChromaSampling(y4mTag: value("C") ?? "420jpeg")
        else { return nil }
        pictureBytes = PlanarGeometry(width: width, height: height, sampling: sampling).byteCount
        frameRate = rate
    }

    /// Parses `numerator:denominator`.
    private static func rate(_ text: Substring) -> FrameRate? {
        let parts = text.split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (1...1_000_000_000).contains($0) }) else { return nil }
        return FrameRate(parts[0], parts[1])
    }
}

extension ChromaSampling {
    /// Chroma tags that are written, and plain `420`, which is read as `420jpeg`.
    fileprivate init?(y4mTag: Substring) {
        switch y4mTag {
        case "444": self = .yuv444
        case "422": self = .yuv422
        case "420jpeg", "420": self = .yuv420
        case "mono": self = .grey
        default: return nil
        }
    }
}

/// Recovery of JPEG images one after the other: the whole ones are kept.
enum MJPEGRecovery: Recoverer {
    /// Bytes beyond which no camera's image goes.
    private static let most: Int64 = 64 << 20

    /// As ``Recoverer/recover(_:into:noting:)``. A file without timestamps has no duration either.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        var output = output
        var (at, kept, images): (Int64, Int64, Int64) = (0, 0, 0)
        // SOI and the first byte of the marker after it.
        while let start = try source.find([0xFF, 0xD8, 0xFF], from: at, before: source.size) {
            findings.note(lost: at, start - at, .damaged)
            guard let length = try wholeImage(at: start, source) else {
                // Reading continues at the next SOI.
                let next = try source.find([0xFF, 0xD8, 0xFF], from: start + 2, before: source.size)
                at = next ?? source.size
                findings.note(lost: start, at - start, next == nil ? .tornEnd : .damaged)
                continue
            }
            try source.copy(from: start, length, to: &output)
            at = start + length
            kept += length
            images += 1
        }
        findings.note(lost: at, source.size - at, .tornEnd)
        // Without an image there is no clip.
        guard images > 0 else { throw source.broken("it has no complete frame") }
        try output.finish()
        findings.tracks = [RecoveredTrack(kind: .video, name: "", frames: images, duration: .zero)]
        return output.bytesWritten
    }

    /// Reads an image, in larger and larger pieces.
    /// - Returns: its length; `nil` if its end is missing or something else is in it.
    private static func wholeImage(at start: Int64, _ source: RecoverySource) throws(CaptureError) -> Int64? {
        var count: Int64 = 1 << 18
        while true {
            let bytes = try source.read(at: start, Int(count))
            guard let image = bytes.withUnsafeBytes({ JPEGImage($0) }) else {
                // A segment may continue after the piece that was read, but no image has headers of more than 1 MiB.
                guard count < 1 << 20, Int64(bytes.count) == count else { return nil }
                count *= 4
                continue
            }
            if image.hasEnd { return Int64(image.end) }
            guard count < most, Int64(bytes.count) == count else { return nil }
            count *= 4
        }
    }
}

/// Recovery of a file without structure, which is whole at every length.
enum RawRecovery: Recoverer {
    /// As ``Recoverer/recover(_:into:noting:)``.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        var output = output
        try source.copy(from: 0, source.size, to: &output)
        try output.finish()
        return output.bytesWritten
    }
}
