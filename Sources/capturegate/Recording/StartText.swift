import CaptureEncoding

/// The lines at the beginning of a recording.
struct StartText {
    let tracks: [ClipTrack]
    let differences: [String]

    func tell(_ stream: StandardStream) {
        for track in tracks { stream.note("Recording \(track.phrase)") }
        for difference in differences { stream.note("Note: \(difference.visible)") }
    }
}
