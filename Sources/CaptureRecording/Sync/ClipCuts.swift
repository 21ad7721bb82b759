/// Pauses of a recording as cuts on the timeline of its capture, which begins with the clip and continues through all of them. Cut
/// spans have no time in the clip, so it continues after each cut without a gap.
///
/// All times are nanoseconds. Each cut is on whole frames of the leading camera, if there is one: no frame is cut in two, and the
/// audio of all microphones is cut at the same moment to the sample.
struct ClipCuts {
    /// Removed span.
    struct Cut: Equatable {
        let start: Int64
        /// `nil` until the recording is resumed.
        var end: Int64?
    }

    private(set) var cuts: [Cut] = []
    /// Duration of a frame of the leading camera; 1 without one.
    private let frame: Int64

    /// - Parameter frame: duration of a frame of the leading camera; 1 without a camera.
    init(frame: Int64 = 1) { self.frame = frame }

    var isEmpty: Bool { cuts.isEmpty }
    var isPaused: Bool { cuts.last.map { $0.end == nil } ?? false }

    /// Pauses at the next frame.
    /// - Parameter time: of the request, in the capture.
    mutating func pause(at time: Int64) {
        guard !isPaused else { return }
        let whole = Self.roundedUp(max(0, time) - removed(before: time), to: frame) + removed(before: time)
        cuts.append(Cut(start: max(whole, cuts.last?.end ?? 0)))
    }

    /// Resumes, whole frames after the pause.
    /// - Parameter time: of the request, in the capture.
    mutating func resume(at time: Int64) {
        guard let cut = cuts.last, cut.end == nil else { return }
        let length = Self.roundedUp(max(0, time - cut.start), to: frame)
        cuts.removeLast()
        // Both came between two frames: nothing was cut.
        if length > 0 { cuts.append(Cut(start: cut.start, end: cut.start + length)) }
    }

    /// A time in the clip, in whole frames of the leading camera.
    func whole(_ time: Int64) -> Int64 { Self.roundedUp(time, to: frame) }

    private static func roundedUp(_ time: Int64, to step: Int64) -> Int64 { (time + step - 1) / step * step }

    /// Time in the clip of a moment of the capture; `nil` for one that is cut out.
    func time(of moment: Int64) -> Int64? {
        guard let last = cuts.last else { return moment }
        if moment >= last.start, moment < last.end ?? .max { return nil }
        for cut in cuts where moment >= cut.start && moment < cut.end ?? .max { return nil }
        return moment - removed(before: moment)
    }

    /// Time that is cut out before a moment of the capture.
    func removed(before moment: Int64) -> Int64 {
        cuts.reduce(0) { sum, cut in
            moment <= cut.start ? sum : sum + min(moment, cut.end ?? moment) - cut.start
        }
    }

    /// Parts of a span of the capture that are in the clip, in order.
    func kept(of span: Range<Int64>) -> [Range<Int64>] {
        var parts: [Range<Int64>] = []
        var start = span.lowerBound
        for cut in cuts {
            let end = min(span.upperBound, cut.start)
            if end > start { parts.append(start..<end) }
            start = max(start, cut.end ?? span.upperBound)
        }
        if start < span.upperBound { parts.append(start..<span.upperBound) }
        return parts
    }

    /// Time of a span of the capture that is in the clip.
    func keptTime(of span: Range<Int64>) -> Int64 {
        kept(of: span).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }
}
