import CaptureBase
import CaptureRealtime

extension SampleFormat {
    /// The same format as the capture loop calls it.
    var pcm: PCMFormat {
        switch self {
        case .s16: .s16
        case .s24Packed: .s24Packed
        case .s24: .s24
        case .s32: .s32
        case .float32: .float32
        }
    }

    init(_ pcm: PCMFormat) {
        switch pcm {
        case .s16: self = .s16
        case .s24Packed: self = .s24Packed
        case .s24: self = .s24
        case .s32: self = .s32
        case .float32: self = .float32
        }
    }
}
