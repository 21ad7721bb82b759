import Testing

@testable import CaptureEncoding

@Suite("Rows of samples")
struct RowsTests {
    private let all = (0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }

    @Test("Packed 4:2:2 is split without a change", arguments: [0, 1, 7, 16, 33, 256])
    func split(pairs: Int) {
        for isYUYV in [true, false] {
            var (y, cb, cr) = (
                [UInt8](repeating: 0, count: 2 * pairs), [UInt8](repeating: 0, count: pairs),
                [UInt8](repeating: 0, count: pairs)
            )
            all.withUnsafeBytes { source in
                guard let base = source.baseAddress, pairs > 0 else { return }
                y.withUnsafeMutableBufferPointer { y in
                    cb.withUnsafeMutableBufferPointer { cb in
                        cr.withUnsafeMutableBufferPointer { cr in
                            guard let y = y.baseAddress, let cb = cb.baseAddress, let cr = cr.baseAddress else {
                                return
                            }
                            if isYUYV {
                                Rows.splitYUYV(base, y, cb, cr, pairs: pairs)
                            } else {
                                Rows.splitUYVY(base, y, cb, cr, pairs: pairs)
                            }
                        }
                    }
                }
            }
            let (luma, blue, red) = isYUYV ? (0, 1, 3) : (1, 0, 2)
            #expect(y == (0..<2 * pairs).map { all[2 * $0 + luma] })
            #expect(cb == (0..<pairs).map { all[4 * $0 + blue] } && cr == (0..<pairs).map { all[4 * $0 + red] })
        }
    }

    @Test("Widening to full range is right within one step, and cuts what is beyond")
    func expand() {
        let values = (0...255).map { UInt8($0) }
        var (luma, chroma) = (values, values)
        luma.withUnsafeMutableBufferPointer { row in
            guard let row = row.baseAddress else { return }
            Rows.expandLuma(row, into: row, count: 256)
        }
        chroma.withUnsafeMutableBufferPointer { row in
            guard let row = row.baseAddress else { return }
            Rows.expandChroma(row, into: row, count: 256)
        }
        for value in 0...255 {
            let exactLuma = min(max(Double(value - 16) * 255 / 219, 0), 255)
            let exactChroma = min(max(Double(value - 128) * 255 / 224 + 128, 0.5), 255)
            #expect(abs(Double(luma[value]) - exactLuma) <= 1 && abs(Double(chroma[value]) - exactChroma) <= 1)
        }
        #expect(luma[16] == 0 && luma[235] == 255 && chroma[128] == 128 && chroma[240] == 255)
    }

    @Test("The mean of two rows rounds halves up")
    func average() {
        let (first, second): ([UInt8], [UInt8]) = ([0, 1, 255, 254, 10], [0, 2, 255, 255, 20])
        var mean = [UInt8](repeating: 0, count: 5)
        mean.withUnsafeMutableBufferPointer { mean in
            guard let mean = mean.baseAddress else { return }
            first.withUnsafeBufferPointer { first in
                second.withUnsafeBufferPointer { second in
                    guard let first = first.baseAddress, let second = second.baseAddress else { return }
                    Rows.average(first, second, into: mean, count: 5)
                }
            }
        }
        #expect(mean == [0, 2, 255, 255, 15])
    }
}
