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
        // Touched now, so that the capture thread never waits for the kernel to find a page.
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        unsafe base = address
        self.byteCount = byteCount
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(byteCount))
    }
}
