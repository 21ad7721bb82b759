import CaptureEncoding
import CaptureGate

/// A meter's words.
enum MeterText {
    static func title(_ device: Device, _ format: AudioFormat) -> String {
        let channels = NumberText.counted(format.channels, "channel")
        return "\(device.name.visible): \(format.sampleRate) Hz, \(channels), \(format.sampleFormat.rawValue)"
    }

    static func level(_ level: SoundLevel) -> String {
        "\(NumberText.fixed(level.peakDBFS, 1).aligned(to: 6)) dBFS\(level.isClipped ? " CLIPPED" : "")"
    }
}
