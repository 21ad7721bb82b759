import CaptureGate
import CaptureRecording

extension CheckMakers {
    static func pixels(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        var capture = try context.capture(for: .seconds(600))
        let skip = context.count("skip") ?? 0
        capture.frames = skip + max(context.count("frames") ?? 30, 1)
        let golden = context.golden.accepts ? nil : try GoldenPicture(context)
        let limits = context.planned.limits
        let (record, look) = try await context.streams.record(capture, from: context.device()) {
            (media) throws(CaptureError) in
            let sample = PictureSample(media, pace: golden == nil ? 0 : PictureSample.fine)
            return PixelsLook(luma: try FrameLuma(media), golden, skip: skip, limits, sample)
        }
        try look.faults.check(record)
        guard let reference = look.reference else { throw .tooFewFrames(record) }
        if context.golden.accepts { try GoldenPicture(look.found, reference).accept(context) }
        if look.hasOtherSize {
            throw CaptureError(
                .badInput,
                "The golden image has \(reference.width)x\(reference.height) points, but the frames have another size.",
                remedies: [Remedy("Check the camera's image, then run the plan with --accept.")])
        }
        return CheckFindings(
            look.expected.measures + [
                Measure("ssim", look.ssim, "", .higher), Measure("psnr", look.psnr, "dB", .higher), look.faults.measure,
            ], evidence: look.faults.evidence(context, record))
    }

    static func sharpness(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let skip = context.count("skip") ?? 0
        let (record, look) = try await context.streams.record(context.capture(), from: context.device()) {
            (media) throws(CaptureError) in
            SharpnessLook(luma: try FrameLuma(media), skip: skip, PictureSample(media, pace: PictureSample.fine))
        }
        try look.faults.check(record)
        guard let sharpness = TimingSample(look.values)?.median else { throw .tooFewFrames(record) }
        let bytes = try context.golden.bytes(for: context.planned, "txt", found: Array("\(sharpness)\n".utf8))
        let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let golden = text.first.flatMap({ Double($0) }), golden > 0, golden.isFinite, text.count == 1 else {
            throw CaptureError(
                .badInput, "The golden file of \(context.planned.name) has no sharpness.",
                remedies: [Remedy("Focus the camera on the chart, then run the plan with --accept.")])
        }
        return CheckFindings(
            [
                Measure("sharpness", sharpness, "", .target),
                Measure("sharpness_change", 100 * (sharpness / golden - 1), "%", .target), look.faults.measure,
            ], evidence: look.faults.evidence(context, record))
    }
}

/// Golden files of an image: checksums of its frames, one per line, and its brightness as a portable graymap.
///
/// *thread-safe*
struct GoldenPicture: Sendable {
    let checksums: [UInt32]
    let picture: LumaImage

    init(_ checksums: [UInt32], _ picture: LumaImage) { (self.checksums, self.picture) = (checksums, picture) }

    /// Reads the golden files of a check.
    ///
    /// - Throws: `.badInput` if one is missing, or is not what it should be.
    init(_ context: CheckContext) throws(CaptureError) {
        let lines = try context.golden.bytes(for: context.planned, "txt", found: [])
        let words = String(decoding: lines, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        checksums = words.compactMap { UInt32($0, radix: 16) }
        let graymap = try context.golden.bytes(for: context.planned, "pgm", found: [])
        guard !words.isEmpty, checksums.count == words.count, let picture = LumaImage(graymap: graymap) else {
            throw CaptureError(
                .badInput, "The golden files of \(context.planned.name) are not checksums and an image.",
                remedies: [Remedy("Check the camera's image, then run the plan with --accept.")])
        }
        self.picture = picture
    }

    /// Writes the golden files of a run that accepts new ones.
    func accept(_ context: CheckContext) throws(CaptureError) {
        let lines = checksums.map { checksum in
            let digits = String(checksum, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits + "\n"
        }
        _ = try context.golden.bytes(for: context.planned, "txt", found: Array(lines.joined().utf8))
        _ = try context.golden.bytes(for: context.planned, "pgm", found: picture.graymap)
    }
}

extension LumaImage {
    /// Bytes of a portable graymap (Netpbm's PGM, P5), which image viewers show.
    var graymap: [UInt8] { Array("P5\n\(width) \(height)\n255\n".utf8) + bytes }

    /// Reads a portable graymap as ``graymap`` writes it.
    ///
    /// - Returns: `nil` for anything else.
    init?(graymap: [UInt8]) {
        let head = graymap.prefix(32).split(
            separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false
        )
        .map { String(decoding: $0, as: UTF8.self) }
        guard head.count == 4, head[0] == "P5", head[2] == "255" else { return nil }
        let sizes = head[1].split(separator: " ").compactMap { Int($0) }
        guard sizes.count == 2 else { return nil }
        let start = head[0].utf8.count + head[1].utf8.count + head[2].utf8.count + 3
        self.init(width: sizes[0], height: sizes[1], bytes: Array(graymap[start...]))
    }
}

/// Inspector that compares frames with the golden image. *session-bound*
private struct PixelsLook: StreamInspector {
    /// Points that are compared: all of 1080p would take nine times as long.
    private static let (columns, rows) = (640, 360)
    /// Most different checksums that are kept for a golden file.
    private static let mostChecksums = 10_000

    let luma: FrameLuma
    /// Frames that are still to be skipped.
    private var skip: Int
    /// Golden image; that of the first frame in a run that accepts results.
    private(set) var reference: LumaImage?
    private(set) var expected: ExpectedFrames
    private let accepts: Bool
    private let limits: [String: Limit]
    /// Checksums that came, in the order in which they did so first.
    private(set) var found: [UInt32] = []
    /// The worst frame's; `nil` before the first one.
    private(set) var ssim: Double?
    private(set) var psnr: Double?
    private(set) var hasOtherSize = false
    var faults = PictureFaults()

    private var sample: PictureSample

    init(
        luma: FrameLuma, _ golden: GoldenPicture?, skip: Int, _ limits: [String: Limit], _ sample: PictureSample
    ) {
        (self.luma, self.skip, self.limits, self.sample) = (luma, skip, limits, sample)
        (reference, accepts) = (golden?.picture, golden == nil)
        expected = ExpectedFrames(golden?.checksums ?? [])
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard skip == 0 else {
            skip -= 1
            return
        }
        let checksum = bytes.withUnsafeBytes { FrameChecksum.crc32($0.bindMemory(to: UInt8.self).span) }
        let isKnown = isKnown(checksum)
        let isSuspect = faults.isAny || !isKnown && limits["crc_mismatches"] != nil
        guard sample.isDue(header, bytes.byteCount, isSuspect: isSuspect || luma.isDoubtful(bytes)) else { return }
        guard let points = luma.points(of: bytes, columns: Self.columns, rows: Self.rows) else {
            (ssim, psnr) = (0, 0)
            return faults.add(.unreadable, header, bytes)
        }
        if reference == nil { reference = points }
        // A pattern may move: a frame with a golden checksum is like itself, and not like the first one.
        let found = isKnown ? PictureSimilarity.toItself(points) : PictureSimilarity(reference ?? points, points)
        guard let similarity = found else {
            hasOtherSize = true
            return
        }
        (ssim, psnr) = (min(ssim ?? 1, similarity.ssim), min(psnr ?? PictureSimilarity.equal, similarity.psnr))
        if let fault = fault(isKnown, similarity) { faults.add(fault, header, bytes) }
    }

    /// A chart before a camera has another checksum each time, which no plan limits.
    private func fault(_ isKnown: Bool, _ similarity: PictureSimilarity) -> PictureFaults.Fault? {
        if limits["crc_mismatches"] != nil { return isKnown ? nil : .otherChecksum }
        let isLike = similarity.ssim >= limits["ssim"]?.least ?? -1 && similarity.psnr >= limits["psnr"]?.least ?? 0
        return isLike ? nil : .unlike
    }

    private mutating func isKnown(_ checksum: UInt32) -> Bool {
        if accepts {
            let isNew = expected.accept(checksum)
            if isNew, found.count < Self.mostChecksums { found.append(checksum) }
        }
        return expected.add(checksum)
    }
}

/// Inspector of the sharpness of frames. *session-bound*
private struct SharpnessLook: StreamInspector {
    /// Pixels in the middle of the frame that are looked at: enough for a chart, and few enough for 60 frames a second.
    private static let (width, height) = (640, 480)
    let luma: FrameLuma
    /// Frames that are still to be skipped.
    private var skip: Int
    private(set) var values: [Double] = []
    var faults = PictureFaults()

    private var sample: PictureSample

    init(luma: FrameLuma, skip: Int, _ sample: PictureSample) {
        (self.luma, self.skip, self.sample) = (luma, skip, sample)
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard skip == 0 else {
            skip -= 1
            return
        }
        guard sample.isDue(header, bytes.byteCount, isSuspect: faults.isAny || luma.isDoubtful(bytes)) else { return }
        guard let middle = luma.middle(of: bytes, width: Self.width, height: Self.height) else {
            return faults.add(.unreadable, header, bytes)
        }
        if let sharpness = middle.sharpness { values.append(sharpness) }
    }
}

extension CaptureError {
    fileprivate static func tooFewFrames(_ record: StreamRecord) -> CaptureError {
        CaptureError(
            .usage, "No frame of \(record.device.id) was examined, although \(record.headers.count) were captured.",
            remedies: [Remedy("Use a smaller `skip`, a longer time, or a size of at least 8x8 pixels.")])
    }
}
