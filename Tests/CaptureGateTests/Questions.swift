import CaptureGate

/// Questions to ask in tests.
enum Questions {
    static let session = LoginSession(leader: 1, startTicks: 2, bootID: "boot")

    static func one(device: String = "HD Webcam", path: String = "/usr/bin/memo") -> Question {
        let subject = Subject(
            userID: 1000, groupIDs: [], executable: Executable(path: path, inode: 1, sha256: "ab"), application: nil,
            session: session)
        let item = Question.Item(
            request: DeviceRequest(capability: .camera, level: .video, device: .any, purpose: "Test"),
            device: DeviceDescription(id: DeviceID(rawValue: "camera:x"), name: device))
        return Question(subject: subject, items: [item], lifetimes: [.once, .session(session), .always])
    }
}
