import CaptureGate

/// Why a stream could not be written.
enum StreamFailure: Error {
    /// The reader has gone: nobody is left to tell anything.
    case closed
    case failed(StandardStream)

    var error: CaptureError? {
        guard case .failed(let stream) = self else { return nil }
        let name = stream.descriptor == 1 ? "Standard output" : "Standard error"
        return CaptureError(
            .inputOutput, "\(name) can't be written.", remedies: [Remedy("Check that its disk has space left.")])
    }
}
