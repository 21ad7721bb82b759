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
    public static func scan(_ detail: Detail = .formats) -> [Device] { scan(detail, without: []) }

    /// - Parameter gone: places in /sys of devices that do not count any more.
    static func scan(_ detail: Detail, without gone: Set<String>) -> [Device] {
        cameras(CameraScanner.records().filter { !$0.isIn(gone) }, detail)
            + microphones(MicrophoneScanner.records().filter { !$0.isIn(gone) }, detail) + BuiltInDevices.all
    }

    /// The device of an id, also one that a listing does not show: a PCM named in ALSA's configuration (`alsa:NAME`).
    ///
    /// - Throws: `.noDevice` where it is not there.
    public static func device(_ id: DeviceID, _ capability: CapabilityName) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(id) { return named }
        if let device = scan(.identity).first(where: { $0.id == id && $0.capability == capability }) { return device }
        throw CaptureError(
            .noDevice, "There is no \(capability) \(QuestionText.visible(id.rawValue)) here.",
            remedies: [Remedy("Plug it in, or choose another.", command: "capturegate devices")])
    }

    private static func cameras(_ records: [DeviceRecord], _ detail: Detail) -> [Device] {
        zip(records, DeviceIdentity.identities(of: records, kind: "camera")).map { record, identity in
            let holdings = DeviceHolders.holdings(of: record.node)
            let capturing = holdings.first(where: \.hasBuffers)
            let readable = holdings.isEmpty && NodeAccess.restriction(on: record.node) == nil
            return Device(
                id: identity.id, name: record.name, capability: .camera,
                availability: capturing.map { .busy($0.holder) } ?? .available, ambiguity: identity.ambiguity,
                nodes: [record.node], pcmName: nil,
                formats: detail == .formats && readable ? CameraFormats.read(record.node) : .unknown)
        }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private static func microphones(_ records: [DeviceRecord], _ detail: Detail) -> [Device] {
        zip(records, DeviceIdentity.identities(of: records, kind: "microphone")).map { record, identity in
            let pcmName = "hw:\(record.card ?? 0),\(record.index)"
            let busy = SoundProc.isBusy(card: record.card ?? 0, device: record.index)
            let readable = !busy && NodeAccess.restriction(on: record.node) == nil
            return Device(
                id: identity.id, name: record.name, capability: .microphone,
                availability: busy
                    ? .busy(DeviceHolders.holdings(of: record.node).first?.holder) : .available,
                ambiguity: identity.ambiguity, nodes: [record.node], pcmName: pcmName,
                formats: detail == .formats && readable ? MicrophoneFormats.read(pcmName) : .unknown)
        }.sorted { $0.id.rawValue < $1.id.rawValue }
    }
}
