import CCodecs
import CaptureBase

/// FLAC encoder (RFC 9639) on libFLAC: one packet per block.
///
/// Takes S16, S24 and S32 in 1 to 8 channels. libFLAC 1.4 decodes every 32-bit sample; ffmpeg 5.1,
/// which Debian 12 ships, decodes none. A block lasts about 0.1 s at most, which bounds the loss if
/// the recorder is killed.
///
/// The corresponding C function is `FLAC__stream_encoder_process_interleaved`.
///
/// *session-bound*
public final class FLACEncoder: TrackEncoder {
    /// Format of the device's samples.
    public let format: AudioFormat
    /// Compression level: 0 (fast) to 8 (small).
    public let level: Int
    public private(set) var description = CodecDescription(matroskaID: "A_FLAC")
    public private(set) var counts = EncoderCounts()

    /// Written by `begin`, because Vorbis comments (RFC 9639, 8.6) precede the first frame.
    private let labels: [String]
    private var handle: OpaquePointer?
    /// One chunk of input, widened to the 32-bit integers that libFLAC takes for every depth.
    private var samples: UnsafeMutableBufferPointer<Int32>
    /// libFLAC's blocks end elsewhere than the driver's periods.
    private var clock = BlockTimestamps()

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: integer samples.
    ///   - level: 0 (fast) to 8 (small).
    ///   - labels: Vorbis comments, `NAME=text` in UTF-8.
    public init(format: AudioFormat, level: Int = 5, labels: [String] = []) {
        self.format = format
        self.level = level
        self.labels = labels
        samples = .allocate(capacity: AudioFormat.pieceFrames * max(format.channels, 1))
    }

    deinit {
        cc_flac_free(handle)
        samples.deallocate()
    }

    /// Sets up libFLAC, which hands out the whole stream header at once.
    /// - Throws: `.usage` for floats, more than 8 channels or an unknown level; `.inputOutput` if
    ///   libFLAC fails.
    public func begin() throws(CaptureError) {
        try checkFormat()
        var wanted = cc_flac_format(
            sample_rate: UInt32(format.sampleRate), channels: UInt32(format.channels),
            bits_per_sample: UInt32(format.sampleFormat.significantBits), level: UInt32(level),
            block_size: UInt32(blockFrames))
        guard cc_flac_open(&handle, &wanted) == 0, let handle else { throw PacketBuffer.outOfMemory }
        for label in labels { _ = cc_flac_comment(handle, label) }
        var head = PacketBuffer()
        guard cc_flac_begin(handle, &head.storage) == 0, head.count == 1 else { throw failure("start") }
        description.privateBytes = head.withBytes(of: 0) { Array($0) }
        description.bitDepth = format.sampleFormat.significantBits
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        _ = try format.frames(in: data)
        clock.anchor(at: nanoseconds)
        try format.forEachPiece(of: data) { (piece, frames) throws(CaptureError) in
            try encode(piece, frames, into: &packets)
        }
    }

    private func encode(
        _ piece: UnsafeRawBufferPointer, _ frames: Int, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let handle, let samples = samples.baseAddress else { throw failure("use") }
        Samples.widen(piece, of: format.sampleFormat, into: samples)
        let before = packets.count
        guard cc_flac_encode(handle, samples, UInt32(frames), &packets.storage) == 0 else { throw failure("use") }
        clock.advance(by: Int64(frames))
        stamp(&packets, from: before)
    }

    /// - Throws: `.inputOutput` if `begin` has not succeeded, or libFLAC fails.
    public func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        guard let handle, description.privateBytes.count >= 42 else { throw failure("finish") }
        let before = packets.count
        var info = [UInt8](repeating: 0, count: 34)
        guard cc_flac_finish(handle, &packets.storage, &info) == 0 else { throw failure("finish") }
        stamp(&packets, from: before)
        // CodecPrivate is `fLaC` (4 bytes), the metadata block header (4), then STREAMINFO (34), whose sample count,
        // frame sizes and MD5 only the end knows.
        description.privateBytes.replaceSubrange(8..<42, with: info)
    }

    /// Sets the timestamps of new packets.
    ///
    /// libFLAC's callback knows samples, not time; it leaves a block's frame count in the packet's
    /// `duration`.
    private func stamp(_ packets: inout PacketBuffer, from first: Int) {
        for index in first..<packets.count {
            let frames = packets.duration(of: index)
            let time = clock.take(frames, of: format)
            packets.setTime(of: index, time, lasting: format.nanoseconds(ofFrames: frames))
            counts.frames += UInt64(frames)
            counts.packets += 1
            counts.bytes += UInt64(packets.byteCount(of: index))
        }
    }

    /// Largest of libFLAC's customary block sizes that lasts about 0.1 s at most.
    ///
    /// Sizes that a frame header codes in four bits (RFC 9639, 9.1.1) save a byte or two per frame.
    var blockFrames: Int {
        [4608, 4096, 2304, 1152, 576].first { $0 * 10 <= format.sampleRate } ?? 576
    }

    /// libFLAC's own state text, since its calls return only true or false.
    private func failure(_ action: String) -> CaptureError {
        let state = handle.map { String(cString: cc_flac_text($0)) } ?? "the encoder did not start"
        return CaptureError(.inputOutput, "libFLAC can't \(action) the stream: \(state).")
    }
}

extension FLACEncoder {
    /// Holds what FLAC stores losslessly: integer samples (the format has no floats) and at most 8
    /// channels (RFC 9639, 9.1.3).
    package static func holds(_ format: AudioFormat) -> Bool { format.sampleFormat != .float32 && format.channels <= 8 }

    /// Checks format and level before libFLAC does, whose errors name neither the option nor a
    /// remedy.
    func checkFormat() throws(CaptureError) {
        try format.checkValues()
        guard (0...8).contains(level) else {
            throw CaptureError(
                .usage, "FLAC has no level \(level).", remedies: [Remedy("Choose 0 (fast) to 8 (small).")])
        }
        guard format.sampleFormat != .float32 else {
            throw CaptureError(
                .usage, "FLAC supports only integer samples, not FLOAT_LE.",
                remedies: [Remedy("Choose --sample-format S32_LE, or record to a name that ends in .wav.")])
        }
        guard format.channels <= 8 else {
            throw CaptureError(
                .usage, "FLAC supports up to 8 channels, not \(format.channels).",
                remedies: [Remedy("Choose --channels 8, or record to a name that ends in .wav.")])
        }
    }
}
