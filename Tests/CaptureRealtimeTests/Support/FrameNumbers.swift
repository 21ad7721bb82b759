import CaptureBase
import CaptureRealtime

/// Reads the frames' numbers out of the paced PCM's 32-bit samples, whatever the headers contain, and notes where they jump.
final class FrameNumbers {
    struct Jump: Equatable {
        /// How many frames were heard before it.
        let heard: Int
        /// How many are missing there.
        let missing: Int
    }

    private(set) var heard = 0
    private(set) var jumps: [Jump] = []
    private var next = 0

    /// - Returns: how many samples are not those of their frame.
    func look(_ header: FrameHeader, _ bytes: RawSpan, _ settings: PCMSettings) -> Int {
        var wrong = 0
        for frame in 0..<header.frameCount {
            let place = frame * settings.bytesPerFrame
            let number = Self.number(bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self))
            if number != next { jumps.append(Jump(heard: heard, missing: number - next)) }
            for channel in 1..<settings.channels {
                let sample = bytes.unsafeLoadUnaligned(fromByteOffset: place + 4 * channel, as: UInt32.self)
                if sample != UInt32(truncatingIfNeeded: 8 * number + channel) &* 2_654_435_761 { wrong += 1 }
            }
            (next, heard) = (number + 1, heard + 1)
        }
        return wrong
    }

    /// The hash's factor has an inverse modulo 2^32.
    private static func number(_ first: UInt32) -> Int { Int((first &* 244_002_641) / 8) }
}
