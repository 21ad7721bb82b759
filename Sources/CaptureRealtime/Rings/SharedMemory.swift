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
        let populated = unsafe Self.populate(address, byteCount)
        guard populated >= 0 else {
            _ = unsafe cm_unmap(address, Int64(byteCount))
            throw RealtimeFault(.populate, result: populated)
        }
        unsafe base = address
        self.byteCount = byteCount
    }

    /// Has the kernel find all pages now, so that the capture thread never waits for it.
    private static func populate(_ address: UnsafeMutableRawPointer, _ byteCount: Int) -> Int32 {
        let populated = unsafe cm_populate(address, Int64(byteCount))
        guard populated == -EINVAL else { return populated }
        // An older kernel finds them when they are touched.
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return 0
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(byteCount))
    }
}
