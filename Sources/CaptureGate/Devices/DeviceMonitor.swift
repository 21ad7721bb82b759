import Gate

/// Devices that come and go.
///
/// It listens before it scans, so that nothing falls between. The first elements are the devices that are there. It ends
/// where the machine does not tell of devices that come and go, as in some sandboxes, and where the task is cancelled.
///
/// *thread-safe*
public struct DeviceMonitor: AsyncSequence, Sendable {
    /// What happened to a device.
    public enum Change: Sendable, Hashable {
        case added(Device)
        case removed(Device)
        /// Its availability, name or nodes are others now.
        case changed(Device)
    }

    /// What a change is, and when it was noticed.
    public struct Event: Sendable, Hashable {
        public let change: Change
        /// CLOCK_MONOTONIC nanoseconds.
        public let noticedNanoseconds: Int64
    }

    public typealias Element = Event

    public init() {}

    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
        AsyncStream { continuation in
            do {
                let watch = try UdevMonitor {
                    DeviceDifference.report(to: continuation, from: &$0, without: $1)
                } end: {
                    continuation.finish()
                }
                continuation.onTermination = { _ in watch.cancel() }
            } catch {
                continuation.finish()
            }
        }.makeAsyncIterator()
    }
}
