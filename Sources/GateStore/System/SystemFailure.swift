/// What a `cs_` wrapper returned when it failed.
struct SystemFailure: Error, Hashable, Sendable {
    /// The kernel's number, positive.
    let errno: Int32

    /// - Parameter result: what the wrapper returned, negative.
    init(result: some BinaryInteger) {
        errno = Int32(truncatingIfNeeded: result.magnitude)
    }

    var text: String { systemText(errno) }
}
