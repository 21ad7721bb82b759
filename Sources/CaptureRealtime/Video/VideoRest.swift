/// When a capture thread may sleep through several pictures: after it took one, so that each rest is made up for before the
/// next, and a device that delivers nothing is waited for as ever.
///
/// *realtime-safe*
@usableFromInline
struct VideoRest: BitwiseCopyable, Sendable {
    @usableFromInline private(set) var isAllowed = false
    /// Pictures that came meanwhile are to be taken, without waiting.
    @usableFromInline private(set) var isOver = false

    @usableFromInline
    init() {}

    /// A picture was taken.
    @usableFromInline @_noLocks @_noAllocation
    mutating func allow() { isAllowed = true }

    @usableFromInline @_noLocks @_noAllocation
    mutating func taken() {
        isAllowed = false
        isOver = true
    }

    /// There was no picture.
    @usableFromInline @_noLocks @_noAllocation
    mutating func end() { isOver = false }
}
