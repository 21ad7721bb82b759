import CaptureGate

/// Tells of devices that come and go, a line each.
struct DeviceEvents {
    let json: Bool
    let capability: CapabilityName?

    /// Returns when the task is cancelled.
    func tellAll() async throws {
        var beginning: Int64?
        for await event in DeviceMonitor() {
            let begin = beginning ?? event.noticedNanoseconds
            beginning = begin
            let line = Entry(event, isInitial: event.noticedNanoseconds == begin)
            guard capability == nil || line.device.capability == capability else { continue }
            try StandardStream.output.line(json ? line.json.text : line.text)
        }
        if !Task.isCancelled { throw Self.silent }
    }

    private static var silent: CaptureError {
        CaptureError(
            .unavailable, "This machine does not tell of devices that come and go: udev can't be listened to.",
            remedies: [
                Remedy(
                    "Where this runs in a sandbox, let it have netlink sockets. Else look again from time to time.",
                    command: "capturegate devices")
            ])
    }

    /// One change.
    private struct Entry {
        /// As udev says it.
        let word: String
        let device: Device
        let nanoseconds: Int64
        /// Whether the device was there when the watch began.
        let isInitial: Bool

        init(_ event: DeviceMonitor.Event, isInitial: Bool) {
            (word, device) =
                switch event.change {
                case .added(let device): ("add", device)
                case .removed(let device): ("remove", device)
                case .changed(let device): ("change", device)
                }
            nanoseconds = event.noticedNanoseconds
            self.isInitial = isInitial
        }

        var json: JSONValue {
            [
                "event": .string(word), "id": .string(device.id.rawValue), "name": .string(device.name),
                "capability": .string(device.capability.rawValue), "available": .bool(device.availability.isAvailable),
                "nodes": .strings(device.nodes), "at_ns": .integer(nanoseconds), "initial": .bool(isInitial),
            ]
        }

        var text: String {
            let word = isInitial ? "present" : word
            let state = self.word == "remove" ? "" : "  (\(device.availability.phrase))"
            return
                "\(word.padded(to: 7))  \(device.capability.rawValue.padded(to: 10))  \(device.id.rawValue.visible)  "
                + device.name.visible + state
        }
    }
}
