import CaptureEncoding

/// The camera's picture above a recording's live line.
struct PreviewView: EventView {
    let stream: StandardStream
    let screen: PreviewScreen
    private var line: LiveView
    private var isStarted = false
    /// What came before it was told that the recording has started.
    private var early: Thumbnail?
    /// 0 where the picture is not the last that stands above the live line.
    private var drawnRows = 0

    init(_ screen: PreviewScreen, above line: LiveView) {
        self.screen = screen
        self.line = line
        stream = line.stream
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .preview(let picture): if isStarted { draw(picture) } else { early = picture }
        case .progress: line.show(event)
        default:
            line.show(event)
            drawnRows = 0
            if case .started = event { start() }
        }
    }

    private mutating func start() {
        isStarted = true
        if let early { draw(early) }
        early = nil
    }

    private mutating func draw(_ picture: Thumbnail) {
        let drawing = screen.drawing(of: picture)
        // All at once, where the terminal can do that (private mode 2026); others take no notice.
        var text = "\u{1B}[?2026h\r"
        // Room for it in place of the live line, or back to its first line, and the live line stays.
        if drawnRows == 0 { text += "\u{1B}[K" + String(repeating: "\n", count: drawing.rows) }
        text += "\u{1B}[\(drawnRows == 0 ? drawing.rows : drawnRows)A"
        text += drawing.text(of: picture) + "\u{1B}[?2026l"
        drawnRows = drawing.rows
        try? stream.write(text)
    }
}
