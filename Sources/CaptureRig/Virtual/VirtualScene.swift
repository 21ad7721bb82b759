import CaptureGate

/// Scene before a virtual camera: shades, edges and texture, a bar that moves with the frames, and a flash at each whole second
/// of CLOCK_MONOTONIC.
///
/// *thread-safe*
struct VirtualScene: Sendable {
    private let format: VideoFormat
    private let faults: FaultPlan
    /// The scene without the bar, in YUYV.
    private let still: [UInt8]
    private let white: [UInt8]
    /// A black frame.
    let black: [UInt8]

    init(_ format: VideoFormat, _ faults: FaultPlan) {
        self.format = format
        self.faults = faults
        black = Self.plain(16, format)
        white = Self.plain(235, format)
        var still = black
        let brightness = TestScene(seed: 7).brightness
        for y in 0..<format.height {
            for x in 0..<format.width {
                still[y * format.bytesPerLine + 2 * x] = Self.luma(brightness, x, y, faults.blur)
            }
        }
        self.still = still
    }

    /// A frame.
    ///
    /// - Parameters:
    ///   - number: moves the bar.
    ///   - time: of the frame, CLOCK_MONOTONIC in ns.
    ///   - since: time since the capture began, in ns.
    func frame(number: UInt64, at time: Int64, since: Int64) -> [UInt8] {
        let end = time + 1000
        if faults.hasClaps, end / 1_000_000_000 != (end - format.frameRate.frameNanoseconds) / 1_000_000_000 {
            return white
        }
        var frame = still
        let left = Int(number % UInt64(max(format.width - 8, 1)))
        for y in 0..<format.height {
            for x in left..<min(left + 8, format.width) { frame[y * format.bytesPerLine + 2 * x] = 200 }
        }
        if since < faults.exposureSettling { darken(&frame, since) }
        return frame
    }

    /// Brightness while the exposure settles: from half of it upwards.
    private func darken(_ frame: inout [UInt8], _ since: Int64) {
        let share = Int(since * 128 / faults.exposureSettling) + 128
        for index in stride(from: 0, to: frame.count, by: 2) { frame[index] = UInt8(Int(frame[index]) * share >> 8) }
    }

    private static func plain(_ luma: UInt8, _ format: VideoFormat) -> [UInt8] {
        (0..<format.height * format.bytesPerLine).map { $0 % 2 == 0 ? luma : 128 }
    }

    private static func luma(_ brightness: [UInt8], _ x: Int, _ y: Int, _ blur: Int) -> UInt8 {
        let row = y % TestScene.side * TestScene.side
        let sum = (0...blur).reduce(0) { $0 + Int(brightness[row + (x + $1) % TestScene.side]) }
        return UInt8(16 + sum / (blur + 1) * 219 / 255)
    }
}
