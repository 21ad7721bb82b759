import CCodecs
import CaptureBase

/// Opus encoder (RFC 6716, RFC 7845) on libopus: one packet per frame duration.
///
/// Accepts 1 to 255 channels at up to 48 kHz; a rate that Opus does not support is resampled to the next supported one. More than
/// two channels are coded separately and assigned to no loudspeaker (mapping family 255), because a recorder does not know the
/// meaning of its microphones. Packet timestamps include ``CodecDescription/delay``, as Matroska's blocks require. libopus gets
/// float samples and the bit depth of the source.
///
/// The corresponding C functions are `opus_encode_float` and `opus_multistream_encode_float`.
///
/// *session-bound*
public final class OpusEncoder: TrackEncoder {
    /// Format of the device's samples.
    public let format: AudioFormat
    /// Bitrate, complexity and frame duration.
    public let parameters: OpusParameters
    public private(set) var description = CodecDescription(matroskaID: "A_OPUS")
    public private(set) var counts = EncoderCounts()

    /// Format that libopus gets: one of Opus's own rates, in floats.
    let coded: AudioFormat
    private var handle: OpaquePointer?
    /// Delay of encoder and decoder together (`OPUS_GET_LOOKAHEAD`), in coded samples.
    private var lookahead = 0
    /// Opus streams in a packet: one, or one per channel of family 255.
    private var streams = 1
    /// Samples of the packet being filled, `blockFill` frames of them.
    private let block: UnsafeMutableBufferPointer<Float>
    private var blockFill = 0
    /// One chunk of input as floats.
    private let piece: UnsafeMutableBufferPointer<Float>
    /// Converts to the coded rate; `nil` if it is the source's.
    private var resampler: Resampler?
    private var resampled: [UInt8] = []
    private var clock = BlockTimestamps()
    /// Device frames received, coded frames put into blocks, and blocks encoded.
    private var framesIn: Int64 = 0
    private var framesCoded: Int64 = 0
    private var blocks: Int64 = 0

    /// Size of a stream's packet that libopus's documentation advises, in bytes.
    private static let mostBytes = 4000

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: of the device's samples.
    ///   - parameters: bitrate, complexity and frame duration.
    public init(format: AudioFormat, parameters: OpusParameters = OpusParameters()) {
        self.format = format
        self.parameters = parameters
        coded = AudioFormat(
            sampleRate: Self.rate(for: format.sampleRate) ?? OpusHead.rate, channels: format.channels,
            sampleFormat: .float32)
        // The longest frame duration is 60 ms.
        block = .allocate(capacity: coded.sampleRate / 1000 * 60 * max(format.channels, 1))
        piece = .allocate(capacity: AudioFormat.pieceFrames * max(format.channels, 1))
    }

    deinit {
        cc_opus_free(handle)
        block.deallocate()
        piece.deallocate()
    }

    /// Coded frames per packet.
    var blockFrames: Int { coded.sampleRate * parameters.frameDuration.rawValue / 1_000_000 }

    /// Sets up libopus, and a resampler if Opus does not have the source's rate.
    /// - Throws: `.usage` for more than 48 kHz or parameters out of range; `.inputOutput` if
    ///   libopus fails.
    public func begin() throws(CaptureError) {
        try checkFormat()
        var layout = cc_opus_layout()
        var wanted = libraryFormat
        let opened = cc_opus_open(&handle, &wanted, &layout)
        guard opened >= 0, handle != nil else { throw failure("start", -opened) }
        lookahead = Int(layout.lookahead)
        streams = Int(layout.streams)
        describe(layout, family: Int(wanted.mapping_family))
        if coded.sampleRate != format.sampleRate { beginResampling() }
    }

    /// Settings for libopus.
    private var libraryFormat: cc_opus_format {
        var wanted = cc_opus_format()
        wanted.sample_rate = Int32(coded.sampleRate)
        wanted.channels = Int32(coded.channels)
        wanted.mapping_family = coded.channels <= 2 ? 0 : 255
        wanted.application = parameters.application.libraryValue
        wanted.bitrate = Int32(parameters.bitrate ?? 0)
        wanted.mode = parameters.mode.libraryValue
        wanted.complexity = Int32(parameters.complexity)
        // libopus takes depths up to 24 bits, also of sources of 32.
        wanted.depth = Int32(min(format.sampleFormat.significantBits, 24))
        return wanted
    }

    /// Fills in OpusHead, which is also Matroska's CodecPrivate.
    private func describe(_ layout: cc_opus_layout, family: Int) {
        var head = OpusHead()
        head.channels = coded.channels
        // Counted at 48 kHz, whatever the coded rate.
        head.preSkip = lookahead * (OpusHead.rate / coded.sampleRate)
        head.inputRate = format.sampleRate
        head.mappingFamily = family
        (head.streams, head.coupled) = (streams, Int(layout.coupled))
        head.mapping = withUnsafeBytes(of: layout.mapping) { Array($0.prefix(coded.channels)) }
        description.privateBytes = head.bytes
        description.decodedRate = OpusHead.rate
        description.delay = coded.nanoseconds(ofFrames: Int64(lookahead))
        // A decoder converges within 80 ms (RFC 7845, 4.6).
        description.preRoll = 80_000_000
    }

    /// Starts with silence ahead of the first sample, as much as the filter reaches back.
    private func beginResampling() {
        var fresh = Resampler(coded)
        let silence = [UInt8](repeating: 0, count: SincTable.half * coded.bytesPerFrame)
        fresh.begin(after: silence.span.bytes)
        resampler = fresh
    }

    // MARK: In

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        _ = try format.frames(in: data)
        clock.anchor(at: nanoseconds)
        try format.forEachPiece(of: data) { (part, frames) throws(CaptureError) in
            try take(part, frames, into: &packets)
        }
    }

    /// Converts a chunk to floats, and passes it on at the coded rate.
    private func take(
        _ part: UnsafeRawBufferPointer, _ frames: Int, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let samples = piece.baseAddress else { return }
        Samples.float(part, of: format.sampleFormat, into: samples)
        let before = codedFrames(framesIn)
        framesIn += Int64(frames)
        counts.frames += UInt64(frames)
        clock.advance(by: codedFrames(framesIn) - before)
        if resampler == nil {
            try append(samples, frames, into: &packets)
        } else {
            resampler?.push(UnsafeRawBufferPointer(start: samples, count: frames * coded.bytesPerFrame).bytes)
            try pull(into: &packets)
        }
    }

    /// Device frames as coded frames, from the stream's start, so that rounding does not
    /// accumulate.
    private func codedFrames(_ frames: Int64) -> Int64 {
        frames * Int64(coded.sampleRate) / Int64(format.sampleRate)
    }

    /// Takes as many coded frames as the resampler can give.
    private func pull(into packets: inout PacketBuffer) throws(CaptureError) {
        // Input frames per output frame.
        let step = Double(format.sampleRate) / Double(coded.sampleRate)
        let frames = resampler?.pull(step: step, most: .max, into: &resampled) ?? 0
        let bytes = resampled
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in
            guard let start = bytes.baseAddress else { return }
            try append(start.assumingMemoryBound(to: Float.self), frames, into: &packets)
        }
    }

    /// Fills blocks, and encodes each full one.
    private func append(
        _ samples: UnsafePointer<Float>, _ frames: Int, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let block = block.baseAddress else { return }
        var done = 0
        while done < frames {
            let count = min(blockFrames - blockFill, frames - done)
            (block + blockFill * coded.channels).update(
                from: samples + done * coded.channels, count: count * coded.channels)
            blockFill += count
            done += count
            // Counted before `emit`, which derives the packet's duration from it.
            framesCoded += Int64(count)
            if blockFill == blockFrames { try emit(into: &packets) }
        }
    }

    // MARK: Out

    /// Encodes the block as one packet.
    private func emit(into packets: inout PacketBuffer) throws(CaptureError) {
        let before = packets.count
        let duration = coded.nanoseconds(ofFrames: heardFrames)
        let time = clock.take(Int64(blockFrames), of: coded)
        try packets.append(capacity: Self.mostBytes * streams, at: time, lasting: duration) {
            (room) throws(CaptureError) in
            let size = cc_opus_encode(
                handle, block.baseAddress, Int32(blockFrames), room.baseAddress?.assumingMemoryBound(to: UInt8.self),
                room.count)
            guard size > 0 else { throw failure("use", Int32(-size)) }
            return Int(size)
        }
        blocks += 1
        blockFill = 0
        counts.packets += 1
        counts.bytes += UInt64(packets.byteCount(of: before))
    }

    /// Frames of the recording in the next packet. The last packets may hold the codec's delay
    /// alone.
    private var heardFrames: Int64 { min(max(framesCoded - blocks * Int64(blockFrames), 0), Int64(blockFrames)) }

    /// Flushes the last block and the codec's delay.
    ///
    /// The decoder is `lookahead` samples late, so this number of frames of silence must follow. The excess in the last packet is
    /// marked as not to be played: end trimming (RFC 7845, 4.4), Matroska's DiscardPadding.
    public func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        guard handle != nil, let block = block.baseAddress else { throw failure("finish", 0) }
        if resampler != nil {
            resampler?.pushEnd()
            try pull(into: &packets)
        }
        let needed = framesCoded + Int64(lookahead)
        while blocks * Int64(blockFrames) < needed {
            let rest = blockFrames - blockFill
            (block + blockFill * coded.channels).update(repeating: 0, count: rest * coded.channels)
            try emit(into: &packets)
        }
        guard packets.count > 0 else { return }
        // The last packet must discard the nanoseconds that a decoder plays of all blocks, less those of the recording.
        let heard = coded.nanoseconds(ofFrames: blocks * Int64(blockFrames) - Int64(lookahead))
        packets.setDiscard(of: packets.count - 1, max(heard - format.nanoseconds(ofFrames: framesIn), 0))
    }

    private func failure(_ action: String, _ code: Int32) -> CaptureError {
        let reason = handle == nil && code == 0 ? "the encoder did not start" : "error \(code)"
        return CaptureError(.inputOutput, "libopus can't \(action) the stream: \(reason).", errno: code)
    }
}

extension OpusEncoder {
    /// Lowest of Opus's own sample rates (RFC 6716, 2) that keeps the whole bandwidth; `nil` above
    /// 48 kHz.
    package static func rate(for sampleRate: Int) -> Int? {
        [8000, 12_000, 16_000, 24_000, 48_000].first { $0 >= sampleRate }
    }

    /// Checks format and parameters first: libopus's OPUS_BAD_ARG does not name the parameter.
    func checkFormat() throws(CaptureError) {
        try format.checkValues()
        guard Self.rate(for: format.sampleRate) != nil else {
            throw CaptureError(
                .usage, "Opus supports up to 48000 Hz, not \(format.sampleRate).",
                remedies: [Remedy("Choose --rate 48000, or record to a name that ends in .flac.")])
        }
        guard (0...10).contains(parameters.complexity) else {
            throw CaptureError(
                .usage, "Opus has no complexity \(parameters.complexity).",
                remedies: [Remedy("Choose 0 (fast) to 10 (best).")])
        }
        try checkBitrate()
    }

    /// libopus's limits hold per channel.
    private func checkBitrate() throws(CaptureError) {
        guard let bitrate = parameters.bitrate else { return }
        let range = 6000 * format.channels...510_000 * format.channels
        guard !range.contains(bitrate) else { return }
        throw CaptureError(
            .usage, "Opus does not support \(bitrate) bit/s for \(format.channels) channels.",
            remedies: [Remedy("Choose \(range.lowerBound) to \(range.upperBound).")])
    }
}

/// Constants of opus_defines.h.
extension OpusParameters.Application {
    var libraryValue: Int32 {
        switch self {
        case .audio: Int32(CC_OPUS_AUDIO)
        case .voice: Int32(CC_OPUS_VOICE)
        case .lowDelay: Int32(CC_OPUS_LOW_DELAY)
        }
    }
}

/// Rate control; the shim turns it into `OPUS_SET_VBR` and `OPUS_SET_VBR_CONSTRAINT`.
extension OpusParameters.BitrateMode {
    var libraryValue: Int32 {
        switch self {
        case .variable: Int32(CC_OPUS_VBR)
        case .constrained: Int32(CC_OPUS_CVBR)
        case .constant: Int32(CC_OPUS_CBR)
        }
    }
}
