import CaptureGate
import Synchronization

/// Where a recording goes, made before anybody is asked: a file that exists already and a place that can't be written
/// are told first.
///
/// *thread-safe*
public final class RecordingTarget: Sendable {
    public let format: ClipFormat
    private let output: Mutex<ClipOutput?>

    /// - Parameters:
    ///   - destination: a file, standard output, or nothing.
    ///   - format: by the file's ending where it is not said.
    ///   - replacing: whether an existing file may be replaced.
    /// - Throws: `.usage` for an unknown ending, `.fileExists`, `.inputOutput` for a place that can't be written.
    public init(
        _ destination: ClipDestination, format: ClipFormat? = nil, replacing: Bool = false
    ) throws(CaptureError) {
        if let format { self.format = format } else { self.format = try ClipFormat(for: destination) }
        output = Mutex(try ClipOutput(opening: destination, replacing: replacing))
    }

    /// Leaves nothing behind: the recording never came to be.
    public func discard() {
        output.withLock { output in
            if var taken = output.take() { taken.discard() }
        }
    }

    func take() throws(CaptureError) -> ClipOutput {
        guard let output = output.withLock({ $0.take() }) else {
            throw CaptureError(.usage, "A recording target is for one recording.")
        }
        return output
    }
}
