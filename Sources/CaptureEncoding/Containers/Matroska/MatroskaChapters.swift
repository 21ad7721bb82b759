import CaptureGate

/// The losses of a clip as chapters, so that a player can go to them.
struct MatroskaChapters {
    let tracks: [ClipTrack]
    let ledger: LossLedger?

    /// Chapters (RFC 9559, 5.1.7); `nil` where nothing is marked.
    var element: [UInt8]? {
        let marks = marks
        guard !marks.isEmpty else { return nil }
        var chapters = EBML()
        chapters.master(.chapters) { chapters in
            chapters.master(.editionEntry) { edition in
                for (number, mark) in marks.enumerated() {
                    Self.append(UInt64(number + 1), mark.at, mark.text, to: &edition)
                }
            }
        }
        return chapters.bytes
    }

    private var marks: [(at: Int64, text: String)] {
        let all = zip(tracks, ledger?.tracks ?? []).flatMap { track, ledger in
            (ledger.marks ?? []).map { mark in
                let noun = (track.kind == .video ? "picture" : "sample") + (mark.frames == 1 ? "" : "s")
                return (at: mark.atNanoseconds, text: "\(mark.frames) \(noun) lost: \(track.name)")
            }
        }
        return all.sorted { $0.at < $1.at }
    }

    private static func append(_ number: UInt64, _ nanoseconds: Int64, _ text: String, to edition: inout EBML) {
        edition.master(.chapterAtom) { atom in
            atom.unsigned(.chapterUID, number)
            atom.unsigned(.chapterTimeStart, UInt64(max(0, nanoseconds)))
            atom.master(.chapterDisplay) { display in
                display.string(.chapString, text)
                display.string(.chapLanguage, "eng")
            }
        }
    }
}
