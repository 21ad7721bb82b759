import Synchronization

/// An atomic alone in its 128 bytes: two cache lines, because processors fetch lines in pairs and a neighbour that is
/// written often would slow this one down.
@usableFromInline
struct CachePadded: ~Copyable, Sendable {
    @usableFromInline let value = Atomic<UInt64>(0)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
}
