import CaptureGate

/// What a file says of itself: title, devices, how it ended, and its loss ledger as JSON.
struct MatroskaTags {
    let tracks: [MatroskaTrack]
    let labels: ClipLabels
    /// `nil` before the end.
    var ledger: LossLedger?
    var end: EndReason?

    /// Tags (RFC 9559, 5.1.8).
    var element: [UInt8] {
        var tags = EBML()
        tags.master(.tags) { tags in
            tags.master(.tag) { tag in
                tag.master(.targets) { $0.unsigned(.targetTypeValue, 50) }
                for (name, text) in clipTags { Self.append(name, text, to: &tag) }
            }
            for track in tracks { append(track, to: &tags) }
        }
        return tags.bytes
    }

    private var clipTags: [(String, String)] {
        let title = labels.title.map { [("TITLE", $0)] } ?? []
        let extra = labels.extra.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let ending = end.map { [("END_REASON", $0.rawValue)] } ?? []
        return title + extra + ending + (ledger.map { [("LOSS_LEDGER", $0.json)] } ?? [])
    }

    private func append(_ track: MatroskaTrack, to tags: inout EBML) {
        tags.master(.tag) { tag in
            tag.master(.targets) { targets in
                targets.unsigned(.targetTypeValue, 30)
                targets.unsigned(.tagTrackUID, UInt64(track.number))
            }
            Self.append("DEVICE_NAME", track.track.name, to: &tag)
            if !track.track.device.isEmpty { Self.append("DEVICE_ID", track.track.device, to: &tag) }
            for (name, text) in clockTags(track) { Self.append(name, text, to: &tag) }
        }
    }

    /// How late the track began, and how its device's clock runs against CLOCK_MONOTONIC.
    private func clockTags(_ track: MatroskaTrack) -> [(String, String)] {
        guard let tracks = ledger?.tracks, tracks.indices.contains(track.number - 1) else { return [] }
        let ledger = tracks[track.number - 1]
        let offset = [("START_OFFSET_NS", String(ledger.startOffsetNanoseconds))]
        return offset + (ledger.driftPPM.map { [("DRIFT_PPM", String($0))] } ?? [])
    }

    private static func append(_ name: String, _ text: String, to tag: inout EBML) {
        tag.master(.simpleTag) { simple in
            simple.string(.tagName, name)
            simple.string(.tagString, text)
        }
    }
}
