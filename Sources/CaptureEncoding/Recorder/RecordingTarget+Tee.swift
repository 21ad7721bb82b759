import CaptureGate

extension RecordingTarget {
    /// What writes to all of several targets.
    /// - Parameter others: may be none.
    /// - Throws: as `writer(_:_:_:)`; nothing is left behind then.
    func writer(
        and others: [RecordingTarget], _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings
    ) throws(CaptureError) -> any ClipWriter {
        if others.isEmpty { return try writer(tracks, labels, settings) }
        var branches: [TeeBranch] = []
        do throws(CaptureError) {
            for target in [self] + others {
                branches.append(try target.branch(tracks, labels, settings, isFirst: target === self))
            }
        } catch {
            for branch in branches { branch.discard() }
            throw error
        }
        return TeeWriter(tracks, branches: branches)
    }

    /// - Parameter isFirst: whether it must hold all of them.
    private func branch(
        _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings, isFirst: Bool
    ) throws(CaptureError) -> TeeBranch {
        var own: [ClipTrack] = []
        let places = tracks.map { track -> Int? in
            guard isFirst || format.kinds.contains(track.kind) && (own.isEmpty || format.holdsSeveral) else {
                return nil
            }
            own.append(track)
            return own.count - 1
        }
        return TeeBranch(path: destination.description, writer: try writer(own, labels, settings), tracks: places)
    }
}

extension ClipFormat {
    /// Whether a clip may have more than one track.
    var holdsSeveral: Bool { self == .matroska || self == .nothing }

    /// Checks whether a further file of the format can hold any of the tracks, before anybody is asked for a device.
    /// - Parameter kinds: one entry a track.
    /// - Throws: `.usage`.
    public func checkTee(_ kinds: [MediaKind]) throws(CaptureError) {
        if let kind = kinds.first, !kinds.contains(where: self.kinds.contains) { try check([kind]) }
    }
}
