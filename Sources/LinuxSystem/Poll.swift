import CSystem

/// Events of a descriptor, as in poll(2).
package struct PollEvents: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// POLLIN.
    package static let input = PollEvents(rawValue: Int16(CS_POLL_IN))
    /// POLLOUT.
    package static let output = PollEvents(rawValue: Int16(CS_POLL_OUT))
    /// POLLERR, POLLHUP and POLLNVAL, which are reported without being requested.
    package static let trouble = PollEvents(rawValue: Int16(CS_POLL_ERR | CS_POLL_HUP | CS_POLL_INVALID))
}

/// A descriptor to wait for.
package struct PollItem: Sendable {
    fileprivate var raw: cs_poll_item

    /// - Parameters:
    ///   - descriptor: -1 is ignored.
    ///   - events: events to wait for.
    package init(_ descriptor: Int32, _ events: PollEvents = .input) {
        raw = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
    }

    /// Events found at the last wait.
    package var found: PollEvents { PollEvents(rawValue: raw.revents) }

    /// True if any event was found at the last wait, including trouble.
    package var isReady: Bool { raw.revents != 0 }
}

/// Waiting for descriptors.
///
/// *thread-safe*
package enum Poll {
    /// Waits until an event or the deadline, even if interrupted. The corresponding C function is `ppoll`.
    ///
    /// - Returns: number of items with an event; 0 at the deadline.
    @discardableResult
    package static func wait(for items: inout [PollItem], until deadline: Deadline) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            // One field of that type: both have the same layout.
            items.withMemoryRebound(to: cs_poll_item.self) {
                cs_poll_until($0.baseAddress, $0.count, deadline.nanoseconds)
            }
        }
        return Int(try checked(result))
    }

    /// Waits until an event or a timeout. The corresponding C function is `poll`; it starts anew after an interruption.
    ///
    /// - Parameters:
    ///   - items: the descriptors.
    ///   - milliseconds: -1 waits for ever.
    /// - Returns: number of items with an event; 0 at the timeout.
    @discardableResult
    package static func wait(for items: inout [PollItem], milliseconds: Int32) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            items.withMemoryRebound(to: cs_poll_item.self) { cs_poll($0.baseAddress, $0.count, milliseconds) }
        }
        return Int(try checked(result))
    }

    /// Waits for one descriptor without allocating.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - events: events to wait for.
    ///   - milliseconds: -1 waits for ever.
    /// - Returns: the events found, including trouble; none at the timeout, or if the wait failed.
    package static func wait(
        for descriptor: Int32, _ events: PollEvents = .input, milliseconds: Int32
    ) -> PollEvents {
        var item = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
        return cs_poll(&item, 1, milliseconds) > 0 ? PollEvents(rawValue: item.revents) : []
    }

    /// Lets the thread sleep.
    package static func pause(milliseconds: Int32) { _ = cs_poll(nil, 0, milliseconds) }
}

/// A kernel counter that polls readable once signalled: eventfd(2).
///
/// It lives as long as anybody refers to it, so that its number is never signalled after being reused.
///
/// *thread-safe*
package final class EventDescriptor: Sendable {
    /// The number to poll.
    package let descriptor: Int32

    /// Creates a counter. The corresponding C function is `eventfd`.
    ///
    /// - Throws: EMFILE if the process has no descriptor left.
    package init() throws(Errno) {
        descriptor = try checked(cs_eventfd(0))
    }

    deinit { _ = cs_close(descriptor) }

    /// Makes it poll readable.
    package func signal() { _ = cs_eventfd_signal(descriptor) }

    /// Consumes the signals so far, so that it polls readable only after the next.
    ///
    /// - Returns: number of signals.
    @discardableResult
    package func take() -> Int64 { max(0, cs_eventfd_take(descriptor)) }
}
