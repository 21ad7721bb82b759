import CaptureGate

/// Scene before a virtual camera: shades, edges and texture, a bar that moves with the frames, and a flash at each whole second
/// of CLOCK_MONOTONIC.
///
/// *thread-safe*
struct VirtualScene: Sendable {
    /// Made once for all cameras: that takes longer than a thousand small frames.
    private static let scenery = TestScene(seed: 7)

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
        for y in 0..<format.height {
            let row = Self.row(y, format, faults.blur)
            for x in 0..<format.width { still[y * format.bytesPerLine + 2 * x] = row[x] }
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
        if faults.isCovered(at: since), !faults.seesThroughShutter { return black }
        let end = time + 1000
        if faults.hasClaps, end / 1_000_000_000 != (end - format.frameRate.frameNanoseconds) / 1_000_000_000 {
            return white
        }
        var frame = still
        if !faults.standsStill { bar(&frame, number) }
        let settling = faults.exposureSettling.nanoseconds
        if since < settling { darken(&frame, Int(since * 128 / settling) + 128) }
        if faults.exposureHunting > 0 {
            // Down for eight frames and up for eight.
            let swing = abs(Double(number % 16) - 8) / 8
            darken(&frame, Int(256 * (1 - faults.exposureHunting * swing)))
        }
        if faults.grain > 0 { grain(&frame, number) }
        return frame
    }

    private func bar(_ frame: inout [UInt8], _ number: UInt64) {
        let left = Int(number % UInt64(max(format.width - 8, 1)))
        for y in 0..<format.height {
            for x in left..<min(left + 8, format.width) { frame[y * format.bytesPerLine + 2 * x] = 200 }
        }
    }

    /// - Parameter share: of 256.
    private func darken(_ frame: inout [UInt8], _ share: Int) {
        for index in stride(from: 0, to: frame.count, by: 2) { frame[index] = UInt8(Int(frame[index]) * share >> 8) }
    }

    /// Adds noise from a table that begins elsewhere in each row of each frame.
    private func grain(_ frame: inout [UInt8], _ number: UInt64) {
        var noise = TestNoise(seed: faults.seed &+ number &* 7919)
        let grains = Self.scenery.grain
        for y in 0..<format.height {
            let start = noise.next(below: TestScene.grainCount)
            for x in 0..<format.width {
                let index = y * format.bytesPerLine + 2 * x
                // The table's standard deviation is 2.
                let speck = Int(grains[(start + x) & (TestScene.grainCount - 1)]) * faults.grain / 2
                frame[index] = UInt8(clamping: Int(frame[index]) + speck)
            }
        }
    }

    private static func plain(_ luma: UInt8, _ format: VideoFormat) -> [UInt8] {
        (0..<format.height * format.bytesPerLine).map { $0 % 2 == 0 ? luma : 128 }
    }

    /// Luma of a row. Small images show the whole scene, so that they contain edges, too.
    private static func row(_ y: Int, _ format: VideoFormat, _ blur: Int) -> [UInt8] {
        let zoom = max(TestScene.side / max(format.width, format.height, 1), 1)
        let start = y * zoom % TestScene.side * TestScene.side
        return (0..<format.width).map { x in
            let sum = (0...blur).reduce(0) { sum, off in
                sum + Int(scenery.brightness[start + (x + off) * zoom % TestScene.side])
            }
            return UInt8(16 + sum / (blur + 1) * 219 / 255)
        }
    }
}
