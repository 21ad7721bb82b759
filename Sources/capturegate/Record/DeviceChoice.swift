import CaptureEncoding
import CaptureGate

/// Which devices a recording takes, from what was said of them.
struct DeviceChoice {
    let cameras: [DeviceQuery]
    let microphones: [DeviceQuery]

    /// - Parameters:
    ///   - kinds: what the file can hold.
    ///   - camera, microphone: an id, a part of a name, `default` or `none` each; none at all where nothing was said.
    /// - Throws: `.usage` for `none` among others.
    init(_ kinds: Set<MediaKind>, camera: [String], microphone: [String]) throws(CaptureError) {
        // Who names one device wants that one; who names none, or only what to leave out, wants what the file can hold.
        let isNamed = (camera + microphone).contains { $0 != "none" }
        cameras = try Self.queries(camera, .camera, byDefault: !isNamed && kinds.contains(.video))
        microphones = try Self.queries(microphone, .microphone, byDefault: !isNamed && kinds.contains(.audio))
    }

    private static func queries(
        _ said: [String], _ capability: CapabilityName, byDefault: Bool
    ) throws(CaptureError) -> [DeviceQuery] {
        if said.isEmpty { return byDefault ? [.default] : [] }
        guard said.contains("none") else { return said.map { DeviceQuery($0) } }
        guard said.count == 1 else {
            throw CaptureError(
                .usage, "--\(capability) none leaves nothing for the other --\(capability).",
                remedies: [Remedy("Leave one of them out.")])
        }
        return []
    }

    /// What there is of the kinds that are recorded.
    var listing: [Device] {
        DeviceCatalog.scan(.identity, of: cameras.isEmpty ? .microphone : microphones.isEmpty ? .camera : nil)
    }

    var kinds: [MediaKind] { cameras.map { _ in .video } + microphones.map { _ in .audio } }

    /// - Throws: `.usage` where something is said of a device that is not recorded.
    func check(_ video: VideoOptions, _ audio: AudioOptions, _ times: TimeOptions) throws(CaptureError) {
        if cameras.isEmpty, let option = video.firstGiven { throw Self.unusedOption(option, .camera) }
        if microphones.isEmpty, let option = audio.firstGiven { throw Self.unusedOption(option, .microphone) }
        if microphones.isEmpty, times.untilSilence != nil { throw Self.unusedOption("--until-silence", .microphone) }
        if cameras.isEmpty, audio.sync == .picture { throw Self.unusedOption("--sync picture", .camera) }
    }

    /// - Throws: `.usage` where one is named twice; `.noDevice`, also where both were left to the machine and it has only
    ///   one of them.
    func devices(_ listing: [Device]) throws(CaptureError) -> [Device] {
        var devices: [Device] = []
        for query in cameras {
            try Self.add(Self.pick(query, .camera, listing, hasOther: !microphones.isEmpty), to: &devices)
        }
        for query in microphones {
            try Self.add(Self.pick(query, .microphone, listing, hasOther: !cameras.isEmpty), to: &devices)
        }
        return devices
    }

    private static func add(_ device: Device, to devices: inout [Device]) throws(CaptureError) {
        guard !devices.contains(where: { $0.id == device.id }) else {
            throw CaptureError(
                .usage, "\(device.id.rawValue) is named twice.",
                remedies: [Remedy("Name each device once.", command: "capturegate devices")])
        }
        devices.append(device)
    }

    private static func pick(
        _ query: DeviceQuery, _ capability: CapabilityName, _ listing: [Device], hasOther: Bool
    ) throws(CaptureError) -> Device {
        do throws(CaptureError) {
            return try query.pick(from: listing, capability)
        } catch {
            guard hasOther else { throw error }
            let without = Remedy("Or record without it: add --\(capability) none.")
            throw CaptureError(error.kind, error.message, errno: error.errno, remedies: error.remedies + [without])
        }
    }

    private static func unusedOption(_ option: String, _ capability: CapabilityName) -> CaptureError {
        CaptureError(
            .usage, "\(option) is about a \(capability), and none is recorded.",
            remedies: [Remedy("Name one with --\(capability), or leave \(option) out.")])
    }
}
