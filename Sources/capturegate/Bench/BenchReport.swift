import CaptureEncoding
import CaptureGate

/// What a run has measured.
struct BenchReport {
    let machine = Machine()
    var encoders: [EncoderMeasurement] = []
    var rings: [RingMeasurement] = []
    var captures: [CaptureMeasurement] = []
    /// The earlier run it is compared with.
    var baseline: BenchBaseline?

    /// Rates of cameras, against which pictures are judged.
    static let rates = [30, 60, 120].compactMap { FrameRate($0) }

    /// Whether the program was built to be quick; figures of one that was not tell nothing of the machine.
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}

extension EncoderMeasurement {
    /// Whether it is pictures as they are recorded one after the other.
    var isStream: Bool {
        if case .still = subject.work { return false }
        if case .video = subject.media { return true }
        return false
    }

    var isStill: Bool {
        if case .still = subject.work { true } else { false }
    }
}

extension RingMeasurement {
    /// By which a result is found again.
    var name: String { kind == .sound ? "sound, periods of \(bytes) bytes" : "pictures, lent and given back" }
}

extension CaptureMeasurement {
    /// By which a result is found again.
    var name: String { "\(device.id.rawValue) \(format)" }

    var format: String {
        switch media {
        case .video(let format):
            "\(format.width)x\(format.height) \(format.pixelFormat) \(format.frameRate)/s"
        case .audio(let format):
            "\(format.sampleRate) Hz, \(NumberText.counted(format.channels, "channel")), \(format.sampleFormat.rawValue)"
        }
    }
}
