/// Hue, saturation and value to R, G, B, in whole numbers.
struct HSVConverter {
    /// Bytes a pixel: 3, or 4 with the first one empty.
    let pixelBytes: Int
    /// How many make a circle: 180 or 256.
    let steps: Int

    func convert(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let pixel = source + (index &* pixelBytes &+ pixelBytes &- 3)
            let (red, green, blue) = colour(Int(pixel[0]), Int(pixel[1]), Int(pixel[2]))
            target[3 &* index] = red
            target[3 &* index &+ 1] = green
            target[3 &* index &+ 2] = blue
        }
    }

    private func colour(_ hue: Int, _ saturation: Int, _ value: Int) -> (UInt8, UInt8, UInt8) {
        // The circle has six parts of `steps` sixths of a step each.
        let (part, rest) = (6 * hue / steps % 6, 6 * hue % steps)
        let whole = 255 * steps
        func faded(_ amount: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (value * (whole - saturation * amount) + whole / 2) / whole)
        }
        let (high, low) = (UInt8(truncatingIfNeeded: value), faded(steps))
        let (falling, rising) = (faded(rest), faded(steps - rest))
        switch part {
        case 0: return (high, rising, low)
        case 1: return (falling, high, low)
        case 2: return (low, high, rising)
        case 3: return (low, falling, high)
        case 4: return (rising, low, high)
        default: return (high, low, falling)
        }
    }
}
