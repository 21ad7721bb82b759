import CaptureGate
import CaptureRecording

/// Choice of the devices to record, by the options and by what the file can hold.
struct DeviceChoice {
    let cameras: [DeviceQuery]
    let microphones: [DeviceQuery]

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - kinds: media that the file can hold.
    ///   - selection: devices by id, node or part of a name, `default` or `none`; empty if nothing was given.
    /// - Throws: `.usage` for `none` beside others.
    init(_ kinds: Set<MediaKind>, _ selection: SelectionOptions) throws(CaptureError) {
        let (camera, microphone) = (selection.camera, selection.microphone)
        // A person who names one device wants only that one. A person who names none, or only excludes some, wants what the file
        // can hold.
        let isNamed = (camera + microphone).contains { $0 != "none" }
        cameras = try Self.queries(camera, .camera, byDefault: !isNamed && kinds.contains(.video))
        microphones = try Self.queries(microphone, .microphone, byDefault: !isNamed && kinds.contains(.audio))
    }

    /// Queries of one capability.
    private static func queries(
        _ said: [String], _ capability: CapabilityName, byDefault: Bool
    ) throws(CaptureError) -> [DeviceQuery] {
        if said.isEmpty { return byDefault ? [.default] : [] }
        guard said.contains("none") else { return said.map { DeviceQuery($0) } }
        guard said.count == 1 else {
            throw CaptureError(
                .usage, "--\(capability) none can't be combined with another --\(capability).",
                remedies: [Remedy("Remove one of them.")])
        }
        return []
    }

    /// Present devices of the recorded capabilities. Searching for the other kind would only take time.
    var listing: [Device] {
        DeviceCatalog.scan(.identity, of: cameras.isEmpty ? .microphone : microphones.isEmpty ? .camera : nil)
    }

    /// Media of the tracks, in the order of the devices.
    /// - Parameter isMixed: true if all microphones are one track.
    func kinds(mixed isMixed: Bool) -> [MediaKind] {
        cameras.map { _ in .video } + (isMixed ? microphones.prefix(1) : microphones[...]).map { _ in .audio }
    }

    /// Refuses options about a device that is not recorded: if they
    /// were ignored, they would look as if they had been applied.
    ///
    /// - Throws: `.usage`.
    func check(_ video: VideoOptions, _ audio: AudioOptions, _ times: TimeOptions) throws(CaptureError) {
        if cameras.isEmpty, let option = video.firstGiven { throw Self.unusedOption(option, .camera) }
        if microphones.isEmpty, let option = audio.firstGiven { throw Self.unusedOption(option, .microphone) }
        if microphones.isEmpty, times.untilSilence != nil { throw Self.unusedOption("--until-silence", .microphone) }
        if audio.mix, microphones.count < 2 {
            throw CaptureError(
                .usage, "--mix needs several microphones, but only one is recorded.",
                remedies: [Remedy("Name each with --microphone, or remove --mix.")])
        }
        if cameras.isEmpty, audio.sync == .picture { throw Self.unusedOption("--sync picture", .camera) }
    }

    /// Devices that the queries pick.
    ///
    /// - Throws: `.usage` if one is named twice; `.noDevice`, also if
    ///   neither kind is named and the machine has only one of them.
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

    /// Adds a device that is not among the others: one node can't be captured twice.
    private static func add(_ device: Device, to devices: inout [Device]) throws(CaptureError) {
        guard !devices.contains(where: { $0.id == device.id }) else {
            throw CaptureError(
                .usage, "\(device.id.rawValue) is named twice.",
                remedies: [Remedy("Name each device once.", .listDevices)])
        }
        devices.append(device)
    }

    /// Device for a query, with the hint to record without it if another one remains.
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

    /// Error about an option whose device is not recorded.
    private static func unusedOption(_ option: String, _ capability: CapabilityName) -> CaptureError {
        CaptureError(
            .usage, "\(option) needs a \(capability), but none is recorded.",
            remedies: [Remedy("Name one with --\(capability), or remove \(option).")])
    }
}
