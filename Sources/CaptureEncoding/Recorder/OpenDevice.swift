import CaptureGate

/// A session that waits to be recorded, and comes back to be closed.
enum OpenDevice: Sendable {
    case microphone(Handoff<AudioSession>)
    case camera(Handoff<VideoSession>)

    init(
        _ part: consuming DevicePermit, settings: RecorderSettings
    ) async throws(CaptureError) {
        if part.capability == .microphone {
            self = .microphone(Handoff(try await AudioSession(opening: part, settings: settings.recordedAudio)))
        } else {
            self = .camera(Handoff(try await VideoSession(opening: part, settings: settings.video)))
        }
    }

    var isMicrophone: Bool {
        if case .microphone = self { true } else { false }
    }

    /// Ends the capture and closes the device.
    func close() async {
        switch self {
        case .microphone(let box): await box.take()?.close()
        case .camera(let box): await box.take()?.close()
        }
    }

    /// What records it; `nil` the second time.
    func lane(_ timeline: Timeline, _ role: SoundRole, constantRate: Bool, mayLeave: Bool) -> (any Lane)? {
        switch self {
        case .microphone(let box):
            guard let session = box.take() else { return nil }
            return AudioLane(session, timeline, role: role, back: box)
        case .camera(let box):
            guard let session = box.take() else { return nil }
            return VideoLane(session, timeline, constantRate: constantRate, mayLeave: mayLeave, back: box)
        }
    }
}
