import CMedia

extension CameraSource {
    @_noLocks @_noAllocation
    public mutating func start() -> RealtimeFault? {
        let result = cm_v4l2_streamon(node.descriptor, node.bufferType)
        return result < 0 ? RealtimeFault(.streamOn, result: result) : nil
    }

    @_noLocks @_noAllocation
    public mutating func stop() {
        _ = cm_v4l2_streamoff(node.descriptor, node.bufferType)
    }

    @_noLocks @_noAllocation
    public mutating func queue(_ buffer: Int) -> RealtimeFault? {
        let result = cm_v4l2_qbuf(node.descriptor, node.bufferType, UInt32(truncatingIfNeeded: buffer))
        return result < 0 ? RealtimeFault(.queueBuffer, result: result) : nil
    }

    /// After a fatal error, and after unplugging, poll gives an error state alone: then taking a buffer says which.
    @_noLocks @_noAllocation
    public mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        if called == 0 { return monitor.starved() ? .ready : .quiet }
        guard pollSet.hasExceptions() else { return pollSet.wakeup() }
        monitor.called()
        return .ready
    }

    @_noLocks @_noAllocation
    public mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    public mutating func dequeue() -> DequeueResult {
        if let news = monitor.news(node.descriptor) { return .news(news) }
        var raw = cm_v4l2_buffer()
        let result = unsafe cm_v4l2_dqbuf(node.descriptor, node.bufferType, &raw)
        if result == -EAGAIN { return .nothing }
        // Unplugged or broken: the loop tells them apart by the errno.
        guard result >= 0 else { return .failed(RealtimeFault(.dequeueBuffer, result: result)) }
        // Nobody can say whose memory such a number means.
        guard raw.index < UInt32(truncatingIfNeeded: bounds.count) else {
            return .failed(RealtimeFault(.dequeueBuffer, result: -EPROTO))
        }
        monitor.fed()
        return .buffer(filled(raw))
    }

    @_noLocks @_noAllocation
    private func filled(_ raw: cm_v4l2_buffer) -> DequeuedBuffer {
        var planes = FramePlanes()
        planes.set(0, offset: Int(raw.data_offset.0), byteCount: Int(raw.bytesused.0) &- Int(raw.data_offset.0))
        planes.set(1, offset: Int(raw.data_offset.1), byteCount: Int(raw.bytesused.1) &- Int(raw.data_offset.1))
        planes.set(2, offset: Int(raw.data_offset.2), byteCount: Int(raw.bytesused.2) &- Int(raw.data_offset.2))
        let clock = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TIMESTAMP_MASK)
        let isMonotonic = clock == UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        let origin = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TSTAMP_SRC_MASK)
        let isOfBeginning = origin == UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        let isFlagged = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_ERROR) != 0
        // A driver may hand on what another process told it (v4l2loopback): more bytes than there are is an error too.
        var buffer = DequeuedBuffer(
            index: Int(raw.index), sequence: raw.sequence, timestamp: isMonotonic ? raw.timestamp : 0,
            timestampLag: isOfBeginning ? 0 : endLag,
            isFlagged: isFlagged || !bounds.holds(planes, in: Int(raw.index)), planes: planes)
        buffer.field = raw.field
        return buffer
    }
}
