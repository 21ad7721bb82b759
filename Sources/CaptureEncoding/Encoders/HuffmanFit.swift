import CCodecs

/// Keeps a writer's Huffman codes fitted to its pictures: counts what is coded in a sixty-fourth of each, and makes new
/// codes from that every sixteen pictures.
///
/// *session-bound*
final class AdaptiveHuffman {
    private static let interval: Int32 = 64
    private static let lifetime: Int32 = 16
    private let counts: UnsafeMutablePointer<UInt32>
    private let code = HuffmanCodeBuilder()
    private var isFitted = false
    /// Which of each 64 rows of blocks is counted next.
    private var row: Int32 = 0

    init() {
        counts = .allocate(capacity: Int(CC_JPEG_COUNTS))
        counts.initialize(repeating: 0, count: Int(CC_JPEG_COUNTS))
    }

    deinit { counts.deallocate() }

    /// Encodes a picture; the first one twice, since its codes come of itself.
    /// - Parameter write: returns the bytes written, or -errno.
    func encode(_ writer: OpaquePointer, _ write: () -> Int64) -> Int64 {
        if !isFitted { measure(writer, write) }
        cc_jpeg_writer_count(writer, counts, Self.interval, row)
        let size = write()
        guard size > 0 else { return startOver(writer, write) }
        row = (row + 1) % Self.interval
        if row % Self.lifetime == 0 { fit(writer) }
        if row == 0 { fade() }
        return size
    }

    private func measure(_ writer: OpaquePointer, _ write: () -> Int64) {
        cc_jpeg_writer_count(writer, counts, 1, 0)
        guard write() > 0 else { return }
        fit(writer)
        fade()
        isFitted = true
    }

    /// After a sudden change the codes may be so bad that the picture does not fit into its room: annex K's always do.
    private func startOver(_ writer: OpaquePointer, _ write: () -> Int64) -> Int64 {
        counts.update(repeating: 0, count: Int(CC_JPEG_COUNTS))
        isFitted = false
        cc_jpeg_writer_count(writer, nil, 1, 0)
        cc_jpeg_writer_use_standard(writer)
        return write()
    }

    private func fit(_ writer: OpaquePointer) {
        for table in 0..<4 {
            code.fit(counts + 256 * table) { table < 2 ? Self.isDC($0) : Self.isAC($0) }
            cc_jpeg_writer_use(writer, Int32(table), code.lengths, code.symbols, code.count)
        }
    }

    /// What was long ago counts less and less.
    private func fade() {
        for index in 0..<Int(CC_JPEG_COUNTS) { counts[index] /= 2 }
    }

    /// Sizes of a difference of 8 bit samples' DC (T.81, table F.1).
    private static func isDC(_ symbol: Int) -> Bool { symbol <= 11 }

    /// A run of up to 15 zeros before a coefficient of 1 to 10 bits, 16 zeros, or the block's end (T.81, F.1.2.2).
    private static func isAC(_ symbol: Int) -> Bool {
        symbol == 0 || symbol == 0xF0 || (1...10).contains(symbol & 15)
    }
}
