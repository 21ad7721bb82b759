import CaptureEncoding

/// The camera's picture above a recording's live line.
struct PreviewView: EventView {
    let stream: StandardStream
    let screen: PreviewScreen
    private var line: LiveLine
    private var drawnRows = 0

    init(_ screen: PreviewScreen, above line: LiveLine) {
        self.screen = screen
        self.line = line
        stream = line.stream
    }

    mutating func show(_ event: RecordingEvent) {
        if case .preview(let picture) = event { draw(picture) } else { line.show(event) }
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
