import CSystem

/// The moments between two calls on a partial file, at which another program may come: tests have one come there, and have a
/// disk that fails.
struct OutputSteps: Sendable {
    enum Step: CaseIterable, Sendable {
        case make, look, open, lock, judge, remove, check, rename, renamed, close
    }

    var reached: @Sendable (Step) -> Void = { _ in }
    /// Waits a moment for somebody else's lock.
    var pause: @Sendable () -> Void = { _ = cs_poll(nil, 0, 5) }
    /// Stores what was written: fdatasync(2).
    var store: @Sendable (_ descriptor: Int32) -> Int32 = { cs_fdatasync($0) }
}
