import Gate

/// The microphones and cameras of this machine, and the built-in test devices.
///
/// *thread-safe*
public enum DeviceCatalog {
    /// How much a scan finds out.
    public enum Detail: Sendable {
        /// Ids, names, nodes and availability, from udev, sysfs and /proc. Opens no capture node.
        case identity
        /// Also what each device can deliver. Opens the nodes nobody holds, without streaming.
        case formats
    }

    /// Lists what is there now: cameras, then microphones, then the built-in devices, each sorted by id.
    ///
    /// A machine without sound, video or udev has none, which is not an error.
    /// - Parameters:
    ///   - detail: how much to find out.
    ///   - capability: where only one kind is wanted: looking for the other costs its time.
    public static func scan(_ detail: Detail = .formats, of capability: CapabilityName? = nil) -> [Device] {
        switch capability {
        case nil: scan(detail, without: [])
        case .camera: cameras(cameraRecords.renew(), detail) + BuiltInDevices.all.filter { $0.capability == .camera }
        case .microphone:
            microphones(microphoneRecords.renew(), detail) + BuiltInDevices.all.filter { $0.capability == .microphone }
        default: []
        }
    }

    /// - Parameter gone: places in /sys of devices that do not count any more.
    static func scan(_ detail: Detail, without gone: Set<String>) -> [Device] {
        cameras(cameraRecords.renew().filter { !$0.isIn(gone) }, detail)
            + microphones(microphoneRecords.renew().filter { !$0.isIn(gone) }, detail) + BuiltInDevices.all
    }

    /// The device of an id, also one that a listing does not show: a PCM named in ALSA's configuration (`alsa:NAME`).
    ///
    /// - Throws: `.noDevice` where it is not there.
    public static func device(_ id: DeviceID, _ capability: CapabilityName) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(id) { return named }
        if let device = find(id, capability) { return device }
        throw CaptureError(
            .noDevice, "There is no \(capability) \(QuestionText.visible(id.rawValue)) here.",
            remedies: [Remedy("Plug it in, or choose another.", command: "capturegate devices")])
    }

    private static let cameraRecords = KeptRecords(walk: CameraScanner.records)
    private static let microphoneRecords = KeptRecords(walk: MicrophoneScanner.records)
    private static let freeNodes = FreeNodes()

    /// Looks no further than what decides its id: a gate does so several times for each request.
    private static func find(_ id: DeviceID, _ capability: CapabilityName) -> Device? {
        let builtIn = BuiltInDevices.all.first { $0.id == id && $0.capability == capability }
        if let builtIn { return builtIn }
        switch capability {
        case .camera: return cameraRecords.find { cameras($0, .identity, only: id).first }
        case .microphone: return microphoneRecords.find { microphones($0, .identity, only: id).first }
        default: return nil
        }
    }

    private static func cameras(_ records: [DeviceRecord], _ detail: Detail, only id: DeviceID? = nil) -> [Device] {
        let found = identified(records, "camera", only: id)
        let nodes = found.map(\.record.node)
        let holdings = id == nil ? freeNodes.renew(nodes) : freeNodes.holdings(of: nodes)
        return found.map { camera($0.record, $0.identity, holdings[$0.record.node] ?? [], detail) }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private static func microphones(_ records: [DeviceRecord], _ detail: Detail, only id: DeviceID? = nil) -> [Device] {
        identified(records, "microphone", only: id).map { microphone($0.record, $0.identity, detail) }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// An id depends on which other devices there are, so all are looked at.
    private static func identified(
        _ records: [DeviceRecord], _ kind: String, only id: DeviceID?
    ) -> [(record: DeviceRecord, identity: DeviceIdentity)] {
        zip(records, DeviceIdentity.identities(of: records, kind: kind)).filter { id == nil || $0.1.id == id }
            .map { (record: $0.0, identity: $0.1) }
    }

    private static func camera(
        _ record: DeviceRecord, _ identity: DeviceIdentity, _ holdings: [DeviceHolders.Holding], _ detail: Detail
    ) -> Device {
        let capturing = holdings.first(where: \.hasBuffers)
        let readable = holdings.isEmpty && NodeAccess.restriction(on: record.node) == nil
        return Device(
            id: identity.id, name: record.name, capability: .camera,
            availability: capturing.map { .busy($0.holder) } ?? .available, ambiguity: identity.ambiguity,
            nodes: [record.node], pcmName: nil,
            formats: detail == .formats && readable ? CameraFormats.read(record.node) : .unknown)
    }

    private static func microphone(_ record: DeviceRecord, _ identity: DeviceIdentity, _ detail: Detail) -> Device {
        let pcmName = "hw:\(record.card ?? 0),\(record.index)"
        let busy = SoundProc.isBusy(card: record.card ?? 0, device: record.index)
        let readable = !busy && NodeAccess.restriction(on: record.node) == nil
        return Device(
            id: identity.id, name: record.name, capability: .microphone,
            availability: busy ? .busy(DeviceHolders.holdings(of: record.node).first?.holder) : .available,
            ambiguity: identity.ambiguity, nodes: [record.node], pcmName: pcmName,
            formats: detail == .formats && readable ? MicrophoneFormats.read(pcmName) : .unknown)
    }
}
