/// A frame in 4:2:0 whose samples differ from their neighbours, in a range that clips nothing, and its layout in other formats
/// according to Linux's documentation and headers.
struct LaidPicture {
    let width: Int
    let height: Int

    /// By libv4l's factors: red 3/2, green 3/8 and 3/4, blue 129/64, rounded down.
    var rgb: [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = (blue(x / 2, y / 2) - 128, red(x / 2, y / 2) - 128)
                let grey = luma(x, y)
                bytes.append(UInt8(grey + ((3 * v) >> 1)))
                bytes.append(UInt8(grey - ((3 * u + 6 * v) >> 3)))
                bytes.append(UInt8(grey + ((129 * u) >> 6)))
            }
        }
        return bytes
    }

    func bytes(as code: String) -> [UInt8] {
        switch code {
        // Their samples are signed.
        case "S501": lines("YUyV").map { UInt8($0 ^ 0x80) }
        case "S505": lines("YyUV").map { UInt8($0 ^ 0x80) }
        case "S508": lines("YUVy").map { UInt8($0 ^ 0x80) }
        case "M420": lines("Yym").map { UInt8($0) }
        case "CITV": lines("Yc").map { UInt8($0) }
        case "KONI": strips
        case "S920": blocks
        default: macroblocks
        }
    }

    private func luma(_ x: Int, _ y: Int) -> Int { 96 + (x * 7 + y * 13) % 64 }
    private func blue(_ x: Int, _ y: Int) -> Int { 128 + (x * 5 + y * 3) % 40 - 20 }
    private func red(_ x: Int, _ y: Int) -> Int { 128 + (x * 3 + y * 11) % 40 - 20 }

    /// Two lines of the frame at a time, each as a letter of `order`.
    private func lines(_ order: String) -> [Int] {
        var samples: [Int] = []
        for y in 0..<height / 2 {
            for letter in order { samples += line(letter, y) }
        }
        return samples
    }

    private func line(_ letter: Character, _ y: Int) -> [Int] {
        switch letter {
        case "Y": (0..<width).map { luma($0, 2 * y) }
        case "y": (0..<width).map { luma($0, 2 * y + 1) }
        case "U": (0..<width / 2).map { blue($0, y) }
        case "V": (0..<width / 2).map { red($0, y) }
        // Both colours in turn.
        case "m": (0..<width).map { $0 % 2 == 0 ? blue($0 / 2, y) : red($0 / 2, y) }
        default: colourfulLine(y)
        }
    }

    /// V Y U Y.
    private func colourfulLine(_ y: Int) -> [Int] {
        let lumas = line("y", y)
        return (0..<width / 2).flatMap { x -> [Int] in [red(x, y), lumas[2 * x], blue(x, y), lumas[2 * x + 1]] }
    }

    /// 256 of luma, 64 of each colour, line after line.
    private var strips: [UInt8] {
        let (lumas, blues, reds) = (lines("Yy"), lines("U"), lines("V"))
        var samples: [Int] = []
        for strip in 0..<lumas.count / 256 {
            samples += lumas[strip * 256..<strip * 256 + 256]
            samples += blues[strip * 64..<strip * 64 + 64]
            samples += reds[strip * 64..<strip * 64 + 64]
        }
        return samples.map { UInt8($0) }
    }

    /// Blocks of 16 by 8 pixels: two squares of luma, then each colour.
    private var blocks: [UInt8] {
        var samples: [Int] = []
        for top in 0..<height / 8 {
            for left in 0..<width / 16 {
                for half in 0..<2 { samples += block(luma, 2 * left + half, top, 8) }
                samples += block(blue, left, top, 4)
                samples += block(red, left, top, 4)
            }
        }
        return samples.map { UInt8($0) }
    }

    /// Eight wide.
    private func block(_ plane: (Int, Int) -> Int, _ column: Int, _ row: Int, _ rows: Int) -> [Int] {
        (0..<8 * rows).map { plane(column * 8 + $0 % 8, row * rows + $0 / 8) }
    }

    /// Squares of 16 in rows of 720, luma first, then both colours in turn; rows end in padding.
    private var macroblocks: [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: 720 * height * 3 / 2)
        for y in 0..<height {
            for x in 0..<width {
                bytes[place(x, y)] = UInt8(luma(x, y))
                let colour = x % 2 == 0 ? blue(x / 2, y / 2) : red(x / 2, y / 2)
                bytes[720 * height + place(x, y / 2)] = UInt8(colour)
            }
        }
        return bytes
    }

    private func place(_ x: Int, _ y: Int) -> Int { (y / 16 * 45 + x / 16) * 256 + y % 16 * 16 + x % 16 }
}
