import CaptureEncoding
import CaptureGate

/// Meter of a camera's brightness, for still images.
///
/// *session-bound*
final class BrightnessMeter {
    private let pixels: StillPixels
    private let repair: MJPEGRepair?

    /// - Parameter format: of the frames, one that ``StillEncoder`` takes.
    init(_ format: VideoFormat) throws(CaptureError) {
        pixels = StillPixels(format, range: MJPEGParameters().range, keepsDepth: false)
        repair = format.pixelFormat.isCompressed ? MJPEGRepair(format: format) : nil
        try repair?.begin()
    }

    /// Mean brightness of a frame, 0…1; `nil` for one that is short or broken.
    func mean(of frame: RawSpan) throws(CaptureError) -> Double? {
        try read(frame) ? mean : nil
    }

    private func read(_ frame: RawSpan) throws(CaptureError) -> Bool {
        guard let repair else { return frame.withUnsafeBytes { pixels.read($0) } }
        var mended = PacketBuffer()
        try repair.encode(frame, at: 0, into: &mended)
        return mended.count > 0 && mended.withBytes(of: 0) { pixels.readJPEG($0) }
    }

    /// Mean of every eighth pixel of every eighth row: noise and edges don't matter to it.
    private var mean: Double {
        var (sum, count) = (0, 0)
        let channels = pixels.kind.channels
        for row in stride(from: 0, to: pixels.height, by: 8) {
            let start = pixels.start + row * pixels.rowBytes
            for pixel in stride(from: 0, to: pixels.width, by: 8) {
                sum += luma(start + pixel * channels, channels)
                count += 1
            }
        }
        return Double(sum) / Double(count * 256 * 255)
    }

    /// Luma by the weights of ITU-R BT.601, in 1/256.
    private func luma(_ pixel: UnsafeMutablePointer<UInt8>, _ channels: Int) -> Int {
        channels == 1 ? 256 * Int(pixel[0]) : 77 * Int(pixel[0]) + 150 * Int(pixel[1]) + 29 * Int(pixel[2])
    }
}
