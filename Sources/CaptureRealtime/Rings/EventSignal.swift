import CMedia

/// An eventfd that says "look again". The corresponding C function is `eventfd`.
///
/// *thread-safe*
struct EventSignal: ~Copyable, Sendable {
    let descriptor: Int32

    init() throws(RealtimeFault) {
        descriptor = try checked(.eventDescriptor, cm_eventfd())
    }

    @_noLocks @_noAllocation
    func raise() {
        // A full counter is as good as a raised one.
        _ = cm_eventfd_write(descriptor)
    }

    @_noLocks @_noAllocation
    func clear() {
        _ = cm_eventfd_read(descriptor)
    }

    deinit {
        _ = cm_close(descriptor)
    }
}
