import CSystem

/// Events of a descriptor, as poll(2) has them.
package struct PollEvents: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// POLLIN.
    package static let input = PollEvents(rawValue: Int16(CS_POLL_IN))
    /// POLLOUT.
    package static let output = PollEvents(rawValue: Int16(CS_POLL_OUT))
    /// POLLERR, POLLHUP and POLLNVAL, which are told unasked.
    package static let trouble = PollEvents(rawValue: Int16(CS_POLL_ERR | CS_POLL_HUP | CS_POLL_INVALID))
}

/// A descriptor to wait for.
package struct PollItem: Sendable {
    fileprivate var raw: cs_poll_item

    /// - Parameters:
    ///   - descriptor: -1 is passed over.
    ///   - events: what to wait for.
    package init(_ descriptor: Int32, _ events: PollEvents = .input) {
        raw = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
    }

    /// Events found at the last wait.
    package var found: PollEvents { PollEvents(rawValue: raw.revents) }

    /// True where anything was found at the last wait, trouble too.
    package var isReady: Bool { raw.revents != 0 }
}

/// Waiting for descriptors.
///
/// *thread-safe*
package enum Poll {
    /// Waits until something happens or the deadline has come, interrupted or not. The corresponding C function is `ppoll`.
    ///
    /// - Returns: how many items have something; 0 at the deadline.
    @discardableResult
    package static func wait(for items: inout [PollItem], until deadline: Deadline) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            // One field of that type: the two are one record.
            items.withMemoryRebound(to: cs_poll_item.self) {
                cs_poll_until($0.baseAddress, $0.count, deadline.nanoseconds)
            }
        }
        return Int(try checked(result))
    }

    /// Waits until something happens, or so long. The corresponding C function is `poll`; it begins anew after an
    /// interruption.
    ///
    /// - Parameters:
    ///   - items: the descriptors.
    ///   - milliseconds: -1 waits for ever.
    /// - Returns: how many items have something; 0 when the time has passed.
    @discardableResult
    package static func wait(for items: inout [PollItem], milliseconds: Int32) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            items.withMemoryRebound(to: cs_poll_item.self) { cs_poll($0.baseAddress, $0.count, milliseconds) }
        }
        return Int(try checked(result))
    }

    /// Waits for one descriptor; nothing is allocated for it.
    ///
    /// - Parameters:
    ///   - descriptor: the one.
    ///   - events: what to wait for.
    ///   - milliseconds: -1 waits for ever.
    /// - Returns: what was found, trouble too; nothing when the time has passed, or the wait failed.
    package static func wait(
        for descriptor: Int32, _ events: PollEvents = .input, milliseconds: Int32
    ) -> PollEvents {
        var item = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
        return cs_poll(&item, 1, milliseconds) > 0 ? PollEvents(rawValue: item.revents) : []
    }

    /// Has the thread wait so long, and for nothing else.
    package static func pause(milliseconds: Int32) { _ = cs_poll(nil, 0, milliseconds) }
}

/// A counter in the kernel that polls readable once it was signalled: eventfd(2).
///
/// It lives as long as anybody refers to it, so that its number is never signalled after it was given to something else.
///
/// *thread-safe*
package final class EventDescriptor: Sendable {
    /// The number to poll.
    package let descriptor: Int32

    /// The corresponding C function is `eventfd`.
    ///
    /// - Throws: EMFILE where the process has no descriptor left.
    package init() throws(Errno) {
        descriptor = try checked(cs_eventfd(0))
    }

    deinit { _ = cs_close(descriptor) }

    /// Has it poll readable from now on.
    package func signal() { _ = cs_eventfd_signal(descriptor) }

    /// Takes the signals that there were, so that it polls readable only after the next.
    ///
    /// - Returns: how many; 0 for none.
    @discardableResult
    package func take() -> Int64 { max(0, cs_eventfd_take(descriptor)) }
}
