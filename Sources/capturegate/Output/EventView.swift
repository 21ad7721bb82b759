/// Shows what goes on.
protocol EventView<Event>: Sendable {
    associatedtype Event: Sendable

    /// - Throws: where showing it is all that the command does; others go on without.
    mutating func show(_ event: Event) throws(StreamFailure)
}

/// Something that goes on, and is told.
protocol OngoingEvent: Sendable {
    /// Whether the next one says it all again, so that this one may be left out.
    var isProgress: Bool { get }
}
