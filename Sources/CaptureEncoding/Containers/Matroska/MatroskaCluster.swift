/// Cluster being filled: blocks in memory until it is written in one piece.
///
/// Ids and lengths are written directly rather than by ``EBML``, whose arrays would allocate for every block.
///
/// *session-bound*
struct MatroskaCluster: ~Copyable {
    /// Cluster timestamp in ticks; `nil` while it is empty.
    private(set) var start: Int64?
    /// Header and blocks.
    private var buffer = GrowingBuffer(capacity: Self.usualLimit)

    /// Id, length of eight bytes, and Timestamp element of ten.
    private static let headSize = 4 + 8 + 10
    /// Bytes at which a cluster ends early. Large frames make short clusters, which stay in the
    /// processor's cache until they are written.
    static let usualLimit = 1 << 20

    init() { buffer.count = Self.headSize }

    var isEmpty: Bool { start == nil }
    /// Size so far, header included.
    var byteCount: Int { buffer.count }

    /// Tells that a block belongs into the next cluster: too late, too early for a signed 16-bit
    /// offset, or too large.
    /// - Parameters:
    ///   - tick: timestamp of the block.
    ///   - size: bytes of its packet.
    ///   - limit: duration of a cluster in ticks.
    func mustEnd(before tick: Int64, bytes size: Int, limit: Int64) -> Bool {
        guard let start else { return false }
        return tick - start >= limit || tick - start < -32_768 || byteCount + size > Self.usualLimit
    }

    /// Tells that one more block like the last would exceed the limit, so that the cluster is
    /// written before that block arrives.
    func isFull(after tick: Int64, lasting ticks: Int64, limit: Int64) -> Bool {
        guard let start else { return false }
        return tick + 2 * ticks - start > limit
    }

    /// Appends a block without lacing (RFC 9559, 10): a SimpleBlock, or a BlockGroup if it has
    /// DiscardPadding.
    /// - Parameters:
    ///   - track: number, 1 to 126.
    ///   - tick: timestamp of the block.
    ///   - isKey: decoding can start here.
    ///   - discard: nanoseconds at its end that are not to be played.
    ///   - packet: its data.
    mutating func append(
        track: Int, tick: Int64, isKey: Bool, discard: Int64 = 0, _ packet: UnsafeRawBufferPointer
    ) {
        let base = start ?? tick
        start = base
        buffer.reserve(packet.count + Self.blockOverhead)
        if discard > 0 {
            buffer.put(UInt8(MatroskaID.blockGroup.rawValue))
            // The Block (id, length of eight bytes, header of four, packet), then DiscardPadding.
            buffer.put(UInt64(1 + 8 + 4 + packet.count + Self.discardSize) | 1 << 56, width: 8)
        }
        buffer.put(UInt8((discard > 0 ? MatroskaID.block : .simpleBlock).rawValue))
        if discard > 0 {
            buffer.put(UInt64(packet.count + 4) | 1 << 56, width: 8)
        } else {
            putLength(packet.count + 4)
        }
        putContent(track, tick - base, isKey && discard == 0, packet)
        if discard > 0 { putDiscard(discard) }
    }

    /// Begins a SimpleBlock whose packet the caller writes after the cluster's bytes, so that a large frame is not copied.
    mutating func appendHead(track: Int, tick: Int64, isKey: Bool, packetBytes: Int) {
        let base = start ?? tick
        start = base
        buffer.reserve(Self.blockOverhead)
        buffer.put(UInt8(MatroskaID.simpleBlock.rawValue))
        putLength(packetBytes + 4)
        putBlockHead(track, tick - base, isKey)
    }

    /// Upper bound of a block's bytes beside its packet.
    private static let blockOverhead = 48
    /// DiscardPadding: id, length, and a signed integer of eight bytes.
    private static let discardSize = 2 + 1 + 8

    /// Block header and packet.
    private mutating func putContent(_ track: Int, _ offset: Int64, _ isKey: Bool, _ packet: UnsafeRawBufferPointer) {
        putBlockHead(track, offset, isKey)
        buffer.append(packet)
    }

    /// Block header (RFC 9559, 10): track number, signed 16-bit offset from the cluster's
    /// timestamp, flags.
    private mutating func putBlockHead(_ track: Int, _ offset: Int64, _ isKey: Bool) {
        buffer.put(0x80 | UInt8(track))
        buffer.put(UInt8(truncatingIfNeeded: offset >> 8))
        buffer.put(UInt8(truncatingIfNeeded: offset))
        buffer.put(isKey ? 0x80 : 0)
    }

    /// DiscardPadding in nanoseconds, not ticks.
    private mutating func putDiscard(_ nanoseconds: Int64) {
        buffer.put(UInt64(MatroskaID.discardPadding.rawValue), width: 2)
        buffer.put(0x88)
        buffer.put(UInt64(bitPattern: nanoseconds), width: 8)
    }

    /// Lends the cluster.
    /// - Parameters:
    ///   - rest: bytes of it that lie elsewhere and follow.
    ///   - body: gets the bytes, valid until it returns.
    mutating func withBytes<Failure: Error>(
        before rest: Int = 0, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        putHead(rest)
        try body(buffer.bytes)
    }

    /// Empties it; the memory stays.
    mutating func removeAll() {
        start = nil
        buffer.count = Self.headSize
    }

    /// Header of the finished cluster; its length is known only now.
    private mutating func putHead(_ rest: Int) {
        let end = buffer.count
        buffer.count = 0
        buffer.put(UInt64(MatroskaID.cluster.rawValue), width: 4)
        buffer.put(UInt64(end - 12 + rest) | 1 << 56, width: 8)
        buffer.put(UInt8(MatroskaID.timestamp.rawValue))
        buffer.put(0x88)
        buffer.put(UInt64(start ?? 0), width: 8)
        buffer.count = end
    }

    /// Length in two, four or eight bytes. The all-ones value of each width is reserved.
    private mutating func putLength(_ length: Int) {
        if length < 0x3FFF {
            buffer.put(UInt64(length) | 0x4000, width: 2)
        } else if length < 0x0FFF_FFFF {
            buffer.put(UInt64(length) | 0x1000_0000, width: 4)
        } else {
            buffer.put(UInt64(length) | 1 << 56, width: 8)
        }
    }
}

/// Time in a Matroska segment: ticks of 1/32000 s.
///
/// This is the finest round scale whose signed 16-bit block offsets still span a cluster of a
/// second. Frames at 25 and 50 per second and whole milliseconds fall on ticks. Everything else is
/// off by 15.6 µs at most, without accumulating, because every timestamp is rounded by itself.
enum MatroskaTime {
    /// Nanoseconds per tick (TimestampScale).
    static let scale: Int64 = 31_250

    /// Nearest tick of a timestamp in nanoseconds.
    static func ticks(_ nanoseconds: Int64) -> Int64 { (nanoseconds + scale / 2) / scale }

    /// The timestamp itself if `tick` is its nearest one, otherwise the tick's.
    static func nanoseconds(_ nanoseconds: Int64, at tick: Int64) -> Int64 {
        tick == ticks(nanoseconds) ? nanoseconds : self.nanoseconds(atTick: tick)
    }

    static func nanoseconds(atTick tick: Int64) -> Int64 { tick * scale }

    /// Longest cluster in ticks.
    static let longestCluster = WriteInterval.longest / scale
    /// Longest first cluster in ticks.
    static let firstCluster = WriteInterval.first / scale
}

/// Index of a Matroska file: the first key frame of one track in each cluster.
///
/// *session-bound*
struct MatroskaCues {
    /// Entry of the index.
    struct Point {
        let tick: Int64
        /// Position of the cluster, from the start of the Segment's content.
        let position: Int64
    }

    /// Number of the indexed track: video if there is any, since players seek by it.
    var track = 1
    private(set) var points: [Point] = []
    /// First key frame of the cluster that is not yet written.
    private var tick: Int64?
    /// Position of the cluster that is about to be written.
    private var position: Int64 = 0

    init() {
        // An hour of one-second clusters without growing.
        points.reserveCapacity(3600)
    }

    /// Notes a key frame of the current cluster.
    mutating func note(_ number: Int, _ tick: Int64) {
        if number == track, self.tick == nil { self.tick = tick }
    }

    /// Sets the position at which the current cluster is about to be written.
    mutating func place(_ position: Int64) { self.position = position }

    /// Adds the current cluster to the index, now that it is in the file.
    mutating func keep() {
        if let tick { points.append(Point(tick: tick, position: position)) }
        tick = nil
    }

    /// Drops clusters that are not in the file.
    /// - Parameter end: of the last one that is, from the start of the Segment's content.
    mutating func cutBack(to end: Int64) { points.removeAll { $0.position >= end } }

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
