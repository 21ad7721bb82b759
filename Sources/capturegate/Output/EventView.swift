/// Shows what goes on.
protocol EventView<Event>: Sendable {
    associatedtype Event: Sendable

    mutating func show(_ event: Event)
}

/// Something that goes on, and is told.
protocol OngoingEvent: Sendable {
    /// Whether the next one says it all again, so that this one may be left out.
    var isProgress: Bool { get }
}
