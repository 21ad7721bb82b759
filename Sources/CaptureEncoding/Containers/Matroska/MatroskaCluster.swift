/// A cluster being filled: blocks in memory until it is written in one piece.
///
/// *session-bound*
struct MatroskaCluster: ~Copyable {
    /// Ticks of its Timestamp; `nil` while it is empty.
    private(set) var start: Int64?
    private var bytes: UnsafeMutableRawBufferPointer
    private var count = Self.headSize

    /// Id, length of eight bytes, and Timestamp of eight bytes.
    private static let headSize = 4 + 8 + 10
    /// Large frames make short clusters, which stay in the processor's cache until they are written.
    static let usualLimit = 1 << 20

    init() {
        bytes = .allocate(byteCount: Self.usualLimit, alignment: 16)
    }

    deinit { bytes.deallocate() }

    var isEmpty: Bool { start == nil }
    var byteCount: Int { count }

    /// Whether a block must go into the next cluster.
    func mustEnd(before tick: Int64, bytes size: Int, limit: Int64) -> Bool {
        guard let start else { return false }
        return tick - start >= limit || tick - start < -32_768 || count + size > Self.usualLimit
    }

    /// Whether it would be too long with one more block like the last: it is on the disk before that one is there.
    func isFull(after tick: Int64, lasting ticks: Int64, limit: Int64) -> Bool {
        guard let start else { return false }
        return tick + 2 * ticks - start > limit
    }

    /// Appends a block without lacing (RFC 9559, 10): a SimpleBlock where nothing more is to be said of it.
    /// - Parameter discard: nanoseconds at its end that are not to be played.
    mutating func append(
        track: Int, tick: Int64, isKey: Bool, discard: Int64 = 0, _ packet: UnsafeRawBufferPointer
    ) {
        let base = start ?? tick
        start = base
        reserve(packet.count + Self.blockOverhead)
        if discard > 0 {
            put(UInt8(MatroskaID.blockGroup.rawValue))
            // Two ids and lengths of at most 9 and 11 bytes with what is in them.
            putBigEndian(UInt64(1 + 8 + 4 + packet.count + Self.discardSize) | 1 << 56, width: 8)
        }
        put(UInt8((discard > 0 ? MatroskaID.block : .simpleBlock).rawValue))
        if discard > 0 {
            putBigEndian(UInt64(packet.count + 4) | 1 << 56, width: 8)
        } else {
            putLength(packet.count + 4)
        }
        putContent(track, tick - base, isKey && discard == 0, packet)
        if discard > 0 { putDiscard(discard) }
    }

    /// Begins a SimpleBlock whose packet is written behind the cluster's bytes.
    mutating func appendHead(track: Int, tick: Int64, isKey: Bool, packetBytes: Int) {
        let base = start ?? tick
        start = base
        reserve(Self.blockOverhead)
        put(UInt8(MatroskaID.simpleBlock.rawValue))
        putLength(packetBytes + 4)
        putBlockHead(track, tick - base, isKey)
    }

    /// What a block has at most beside its packet.
    private static let blockOverhead = 48
    private static let discardSize = 2 + 1 + 8

    private mutating func putContent(_ track: Int, _ offset: Int64, _ isKey: Bool, _ packet: UnsafeRawBufferPointer) {
        putBlockHead(track, offset, isKey)
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: packet)
        count += packet.count
    }

    private mutating func putBlockHead(_ track: Int, _ offset: Int64, _ isKey: Bool) {
        put(0x80 | UInt8(track))
        put(UInt8(truncatingIfNeeded: offset >> 8))
        put(UInt8(truncatingIfNeeded: offset))
        put(isKey ? 0x80 : 0)
    }

    private mutating func putDiscard(_ nanoseconds: Int64) {
        putBigEndian(UInt64(MatroskaID.discardPadding.rawValue), width: 2)
        put(0x88)
        putBigEndian(UInt64(bitPattern: nanoseconds), width: 8)
    }

    /// The cluster.
    /// - Parameter rest: bytes of it that are elsewhere.
    mutating func withBytes<Failure: Error>(
        before rest: Int = 0, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        putHead(rest)
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }

    mutating func removeAll() {
        start = nil
        count = Self.headSize
    }

    private mutating func putHead(_ rest: Int) {
        let end = count
        count = 0
        putBigEndian(UInt64(MatroskaID.cluster.rawValue), width: 4)
        putBigEndian(UInt64(end - 12 + rest) | 1 << 56, width: 8)
        put(UInt8(MatroskaID.timestamp.rawValue))
        put(0x88)
        putBigEndian(UInt64(start ?? 0), width: 8)
        count = end
    }

    private mutating func putLength(_ length: Int) {
        if length < 0x3FFF {
            putBigEndian(UInt64(length) | 0x4000, width: 2)
        } else if length < 0x0FFF_FFFF {
            putBigEndian(UInt64(length) | 0x1000_0000, width: 4)
        } else {
            putBigEndian(UInt64(length) | 1 << 56, width: 8)
        }
    }

    private mutating func putBigEndian(_ value: UInt64, width: Int) {
        for byte in 0..<width { put(UInt8(truncatingIfNeeded: value >> (8 * UInt64(width - 1 - byte)))) }
    }

    private mutating func put(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    private mutating func reserve(_ extra: Int) {
        guard count + extra > bytes.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count * 2, count + extra), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        bytes.deallocate()
        bytes = larger
    }
}

/// Time in a Matroska segment: ticks of 1/32000 s.
///
/// The finest round scale whose signed 16 bit block offsets still span a cluster of a second. Frames at 25 and 50 a
/// second and milliseconds fall on ticks; all else is off by at most 15.6 µs, and never by more, because every time is
/// rounded on its own.
enum MatroskaTime {
    /// Nanoseconds a tick.
    static let scale: Int64 = 31_250

    /// The nearest tick.
    static func ticks(_ nanoseconds: Int64) -> Int64 { (nanoseconds + scale / 2) / scale }

    /// The time itself where the tick is its nearest one, else the tick's.
    static func nanoseconds(_ nanoseconds: Int64, at tick: Int64) -> Int64 {
        tick == ticks(nanoseconds) ? nanoseconds : self.nanoseconds(atTick: tick)
    }

    static func nanoseconds(atTick tick: Int64) -> Int64 { tick * scale }

    static let second: Int64 = 1_000_000_000 / scale
    /// How long a cluster may be: a recording that is killed loses it, with what was not yet encoded, and that is a second at
    /// most.
    static let longestCluster: Int64 = second * 9 / 10
    /// How long the first cluster may be: a recording killed before it is written can't be read.
    static let firstCluster: Int64 = second / 4
}

/// The index: for each cluster, the first key frame of one track.
///
/// *session-bound*
struct MatroskaCues {
    struct Point {
        let tick: Int64
        /// Of the cluster, from the start of the segment's content.
        let position: Int64
    }

    /// Number of the track that is indexed.
    var track = 1
    private(set) var points: [Point] = []
    private var tick: Int64?
    private var position: Int64 = 0

    init() {
        // An hour without growing.
        points.reserveCapacity(3600)
    }

    mutating func note(_ number: Int, _ tick: Int64) {
        if number == track, self.tick == nil { self.tick = tick }
    }

    /// The cluster that is about to be written starts here.
    mutating func place(_ position: Int64) { self.position = position }

    /// The cluster has been written.
    mutating func keep() {
        if let tick { points.append(Point(tick: tick, position: position)) }
        tick = nil
    }

    /// Cues (RFC 9559, 5.1.5).
    var element: [UInt8] {
        var cues = EBML()
        cues.master(.cues) { cues in
            for point in points {
                cues.master(.cuePoint) { cue in
                    cue.unsigned(.cueTime, UInt64(point.tick))
                    cue.master(.cueTrackPositions) { positions in
                        positions.unsigned(.cueTrack, UInt64(track))
                        positions.unsigned(.cueClusterPosition, UInt64(point.position))
                    }
                }
            }
        }
        return cues.bytes
    }
}
