/// Texts that a file has about a clip: title, devices, how it ended, and its loss ledger as JSON.
///
/// *thread-safe*
struct ClipTags {
    /// Program that wrote a file; recovery recognizes its own files by this.
    static let application = "CaptureGate"
    /// Tag of the reason why a recording ended.
    static let endReason = "END_REASON"
    /// Tag of a device's stable id.
    static let device = "DEVICE_ID"

    let tracks: [ClipTrack]
    let labels: ClipLabels
    /// `nil` ahead of the end.
    var ledger: LossLedger?
    /// `nil` ahead of the end.
    var end: EndReason?
    /// Chapters that a person set.
    var set: [ClipChapter] = []

    /// Tags of the whole clip without its title, sorted by name, so that the same labels give the same bytes.
    var clip: [(name: String, text: String)] {
        let extra = labels.extra.sorted { $0.key < $1.key }.map { (name: $0.key, text: $0.value) }
        let ending = end.map { [(name: Self.endReason, text: $0.rawValue)] } ?? []
        return extra + ending + (ledger.map { [(name: "LOSS_LEDGER", text: $0.json)] } ?? [])
    }

    /// Name and id of a track's device, then its start offset, and the drift of its clock against CLOCK_MONOTONIC.
    /// - Parameter index: in the ledger.
    func tags(of track: ClipTrack, _ index: Int) -> [(name: String, text: String)] {
        let name = [(name: "DEVICE_NAME", text: track.name)]
        let device = track.device.isEmpty ? [] : [(name: Self.device, text: track.device)]
        guard let tracks = ledger?.tracks, tracks.indices.contains(index) else { return name + device }
        // Nanoseconds, and parts per million: a device's clock that is fast has a positive drift.
        let offset = [(name: "START_OFFSET_NS", text: String(tracks[index].startOffsetNanoseconds))]
        let drift = tracks[index].driftPPM.map { [(name: "DRIFT_PPM", text: String($0))] } ?? []
        return name + device + offset + drift
    }

    /// Chapters that a person set, and those at the clip's losses, in the order of time, so that a player can jump to them.
    var chapters: [(at: Int64, text: String)] {
        let all = zip(tracks, ledger?.tracks ?? []).flatMap { track, ledger in
            (ledger.marks ?? []).map { mark in
                let noun = (track.kind == .video ? "frame" : "sample") + (mark.frames == 1 ? "" : "s")
                return (at: mark.atNanoseconds, text: "\(mark.frames) \(noun) lost: \(track.name)")
            }
        }
        let set = set.map { (at: $0.at.exactNanoseconds, text: $0.title) }
        return (set + all).sorted { $0.at < $1.at }
    }

    /// Labels of a recovered clip: the tags of its file, with a mark of the recovery. The reason for the end is written again.
    static func recovered(_ tags: [String: String], title: String?) -> ClipLabels {
        let kept = tags.filter { $0.key != endReason }.merging(["RECOVERED": "yes"]) { $1 }
        return ClipLabels(title: title, extra: kept)
    }

    /// Upper bound of the texts' bytes, without the loss events that `--on-loss mark` adds to chapters and ledger.
    static func byteCount(_ tracks: [ClipTrack], _ labels: ClipLabels, _ chapters: [ClipChapter] = []) -> Int {
        let said = labels.extra.reduce(labels.title?.utf8.count ?? 0) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 96
        }
        // A track's ledger takes about 700 beside its names, which it has twice.
        let named = tracks.reduce(0) { $0 + 1536 + 4 * ($1.name.utf8.count + $1.device.utf8.count) }
        let set = chapters.reduce(0) { $0 + $1.title.utf8.count + 64 }
        return said + named + set + 512
    }
}
