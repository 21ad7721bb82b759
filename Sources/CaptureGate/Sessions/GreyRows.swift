/// Greys of less than eight bits, a byte each, to R, G, B.
struct GreyExpander {
    /// White; what lies above it is white, too.
    let steps: Int

    func convert(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let grey = UInt8(truncatingIfNeeded: (min(Int(source[index]), steps) * 255 + steps / 2) / steps)
            for colour in 0..<3 { target[3 &* index &+ colour] = grey }
        }
    }
}
