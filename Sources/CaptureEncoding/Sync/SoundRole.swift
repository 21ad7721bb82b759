/// What a microphone has to do with the clip's clock.
enum SoundRole {
    /// Its frames are counted, and that is its time.
    case free
    /// It is resampled to the clip's clock.
    case follows
    /// Its clock is the clip's.
    case leads

    /// - Parameters:
    ///   - clock: not ``SyncClock/automatic``.
    ///   - isFirst: whether it is the first microphone of the recording.
    init(_ clock: SyncClock, isFirst: Bool) {
        switch clock {
        case .picture, .system: self = .follows
        case .sound: self = isFirst ? .leads : .follows
        case .none, .automatic: self = .free
        }
    }
}
