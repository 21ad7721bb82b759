import CMedia

/// Zeroed memory with a descriptor, so that it could be lent to another process; deinit unmaps it.
@safe
struct SharedMemory: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointer: who may write where is the ring's law.
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    init(byteCount: Int) throws(RealtimeFault) {
        let descriptor = try unsafe checked(.memory, cm_memfd("capture-ring", Int64(byteCount)))
        var address: UnsafeMutableRawPointer?
        let mapped = unsafe cm_map(descriptor, 0, Int64(byteCount), &address)
        _ = cm_close(descriptor)
        guard mapped >= 0, let address = unsafe address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        unsafe base = address
        self.byteCount = byteCount
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(byteCount))
    }
}
