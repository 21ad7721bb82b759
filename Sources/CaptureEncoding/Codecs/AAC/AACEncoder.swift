import CCodecs
import CaptureBase

/// AAC-LC encoder (ISO/IEC 14496-3) on vo-aacenc: one raw AAC frame for 1024 samples of each channel.
///
/// Takes one or two channels at one of AAC's sample rates. Packet timestamps include
/// ``CodecDescription/delay``, as those of ``OpusEncoder`` do. The library codes samples of 16 bits.
///
/// The corresponding C functions are `SetInputData` and `GetOutputData` of `VO_AUDIO_CODECAPI`.
///
/// *session-bound*
public final class AACEncoder: TrackEncoder {
    /// Format of the device's samples.
    public let format: AudioFormat
    /// Bits per second of all channels; `nil` chooses by channels and sample rate.
    public let bitrate: Int?
    public private(set) var description = CodecDescription(matroskaID: "A_AAC")
    public private(set) var counts = EncoderCounts()

    private var handle: OpaquePointer?
    /// Samples of the packet being filled, `blockFill` frames of them.
    private let block: UnsafeMutableBufferPointer<Int16>
    private var blockFill = 0
    /// One chunk of input as floats, for samples of more than 16 bits.
    private let piece: UnsafeMutableBufferPointer<Float>
    private var clock = BlockTimestamps()
    /// Frames received, and blocks encoded.
    private var framesIn: Int64 = 0
    private var blocks: Int64 = 0

    /// Sample rates of AAC, at the index that they have in a stream.
    private static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    ]
    /// Frames of a block.
    private static let blockFrames = Int(CC_AAC_FRAMES)
    /// Frames of a decoder's output before the first one of the input: a block that the transform overlaps with, and the library's
    /// lookahead for a change of its window.
    private static let lookahead: Int64 = 1600
    /// Largest frame in bits, for each channel (ISO/IEC 14496-3, 4.5.3).
    private static let mostBits = 6144

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: of the device's samples.
    ///   - bitrate: bits per second of all channels; `nil` chooses.
    public init(format: AudioFormat, bitrate: Int? = nil) {
        self.format = format
        self.bitrate = bitrate
        block = .allocate(capacity: Self.blockFrames * max(format.channels, 1))
        piece = .allocate(capacity: AudioFormat.pieceFrames * max(format.channels, 1))
    }

    deinit {
        cc_aac_free(handle)
        block.deallocate()
        piece.deallocate()
    }

    /// True for formats that AAC can hold here.
    static func holds(_ format: AudioFormat) -> Bool {
        (1...2).contains(format.channels) && rates.contains(format.sampleRate)
    }

    /// Loads and sets up vo-aacenc.
    /// - Throws: `.usage` for channels, a sample rate or a bitrate that AAC can't have;
    ///   `.unavailable` if the library is missing.
    public func begin() throws(CaptureError) {
        try checkFormat()
        try CodecLibrary.voAAC.check()
        var wanted = cc_aac_format(
            sample_rate: Int32(format.sampleRate), channels: Int32(format.channels),
            bitrate: Int32(bitrate ?? usualBitrate))
        let opened = cc_aac_open(&handle, &wanted)
        guard opened >= 0 else { throw failure("start", -opened) }
        let index = Self.rates.firstIndex(of: format.sampleRate) ?? 0
        // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC is object type 2.
        let config = 2 << 11 | index << 7 | format.channels << 3
        description.privateBytes = [UInt8(truncatingIfNeeded: config >> 8), UInt8(truncatingIfNeeded: config)]
        description.bitDepth = 16
        description.delay = format.nanoseconds(ofFrames: Self.lookahead)
        // A decoder converges with the second block.
        description.preRoll = format.nanoseconds(ofFrames: Int64(Self.blockFrames))
    }

    /// Enough for audio that is hard to distinguish from the source: 80 kbit/s per channel at 48 kHz.
    private var usualBitrate: Int { format.channels * max(min(format.sampleRate * 5 / 3, 80_000), 16_000) }

    /// Checks format and bitrate first: the library takes others for its own defaults.
    private func checkFormat() throws(CaptureError) {
        try format.checkValues()
        guard Self.holds(format) else {
            throw CaptureError(
                .usage, "AAC does not support \(format.channels) channels at \(format.sampleRate) Hz.",
                remedies: [
                    Remedy("Choose --channels 1 or 2 and --rate 48000, or --audio-codec flac.")
                ])
        }
        let range = 8000 * format.channels...Self.mostBits * format.channels * format.sampleRate / Self.blockFrames
        if let bitrate, !range.contains(bitrate) {
            throw CaptureError(
                .usage, "AAC does not support \(bitrate) bit/s for \(format.channels) channels.",
                remedies: [Remedy("Choose \(range.lowerBound) to \(range.upperBound).")])
        }
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

    /// Fills blocks with a chunk, and encodes each full one.
    private func take(
        _ part: UnsafeRawBufferPointer, _ frames: Int, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let source = part.baseAddress, let samples = piece.baseAddress, let block = block.baseAddress else {
            return
        }
        let isShort = format.sampleFormat == .s16
        if !isShort { Samples.float(part, of: format.sampleFormat, into: samples) }
        counts.frames += UInt64(frames)
        clock.advance(by: Int64(frames))
        var done = 0
        while done < frames {
            let count = min(Self.blockFrames - blockFill, frames - done)
            let (from, to) = (done * format.channels, block + blockFill * format.channels)
            if isShort {
                UnsafeMutableRawPointer(to).copyMemory(
                    from: source + 2 * from, byteCount: count * format.bytesPerFrame)
            } else {
                Samples.round(samples + from, into: to, count: count * format.channels)
            }
            blockFill += count
            done += count
            // Counted before `emit`, which derives the packet's duration from it.
            framesIn += Int64(count)
            if blockFill == Self.blockFrames { try emit(into: &packets) }
        }
    }

    // MARK: Out

    /// Encodes the block as one packet.
    private func emit(into packets: inout PacketBuffer) throws(CaptureError) {
        let before = packets.count
        let heard = min(max(framesIn - blocks * Int64(Self.blockFrames), 0), Int64(Self.blockFrames))
        let time = clock.take(Int64(Self.blockFrames), of: format)
        try packets.append(
            capacity: Self.mostBits / 8 * format.channels + 64, at: time, lasting: format.nanoseconds(ofFrames: heard)
        ) { (room) throws(CaptureError) in
            let size = cc_aac_encode(
                handle, block.baseAddress, room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count)
            guard size > 0 else { throw failure("use", Int32(-size)) }
            return Int(size)
        }
        blocks += 1
        blockFill = 0
        counts.packets += 1
        counts.bytes += UInt64(packets.byteCount(of: before))
    }

    /// Flushes the last block and the codec's delay; the excess in the last packet is marked as not to
    /// be played.
    public func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        guard handle != nil, let block = block.baseAddress else { throw failure("finish", 0) }
        let needed = framesIn + Self.lookahead
        while blocks * Int64(Self.blockFrames) < needed {
            let rest = Self.blockFrames - blockFill
            (block + blockFill * format.channels).update(repeating: 0, count: rest * format.channels)
            try emit(into: &packets)
        }
        guard packets.count > 0 else { return }
        let heard = blocks * Int64(Self.blockFrames) - Self.lookahead
        packets.setDiscard(of: packets.count - 1, format.nanoseconds(ofFrames: max(heard - framesIn, 0)))
    }

    private func failure(_ action: String, _ code: Int32) -> CaptureError {
        let reason = handle == nil && code == 0 ? "the encoder did not start" : "error \(code)"
        return CaptureError(.inputOutput, "vo-aacenc can't \(action) the stream: \(reason).", errno: code)
    }
}

extension Samples {
    /// Rounds numbers from -1 to 1 to 16 bits; louder ones are clipped.
    static func round(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Int16>, count: Int) {
        for index in 0..<count {
            let value = min(max(source[index] * 32_768, -32_768), 32_767)
            target[index] = Int16(value.rounded(.toNearestOrEven))
        }
    }
}
