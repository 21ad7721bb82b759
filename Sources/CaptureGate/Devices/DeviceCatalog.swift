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
    /// A machine without sound, video or udev has none, which is not an error. What else stands in the way of seeing all
    /// is left out here; ``inventory(_:of:)`` tells of it.
    /// - Parameters:
    ///   - detail: how much to find out.
    ///   - capability: where only one kind is wanted: looking for the other costs its time.
    public static func scan(_ detail: Detail = .formats, of capability: CapabilityName? = nil) -> [Device] {
        inventory(detail, of: capability).devices
    }

    /// The same, with what could not be found out: a call that fails for one device takes none of the others from the
    /// list.
    public static func inventory(
        _ detail: Detail = .formats, of capability: CapabilityName? = nil
    ) -> DeviceInventory {
        inventory(detail, of: capability.map { [$0] } ?? [.camera, .microphone], without: [])
    }

    /// - Parameter gone: places in /sys of devices that do not count any more.
    static func inventory(
        _ detail: Detail, of capabilities: [CapabilityName] = [.camera, .microphone], without gone: Set<String>
    ) -> DeviceInventory {
        var (devices, faults): ([Device], [DeviceInventory.Fault]) = ([], [])
        for capability in capabilities {
            guard let walk = records(of: capability)?.renew() else { continue }
            faults += walk.faults.map {
                DeviceInventory.Fault(capability: capability, device: nil, error: $0.error(capability))
            }
            let records = walk.records.filter { !$0.isIn(gone) }
            let found = capability == .camera ? cameras(records) : microphones(records)
            for sighting in found.sorted(by: { $0.device.id.rawValue < $1.device.id.rawValue }) {
                let (device, fault) = detail == .formats ? sighting.withFormats : (sighting.device, nil)
                devices.append(device)
                if let fault { faults.append(fault) }
            }
        }
        let builtIn = BuiltInDevices.all.filter { capabilities.contains($0.capability) }
        return DeviceInventory(devices: devices + builtIn, faults: faults)
    }

    /// The device of an id, also one that a listing does not show: a PCM named in ALSA's configuration (`alsa:NAME`).
    ///
    /// - Throws: `.noDevice` where it is not there.
    public static func device(_ id: DeviceID, _ capability: CapabilityName) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(id) { return named }
        do {
            if let device = try find(id, capability) { return device }
        } catch {
            throw error.error(capability)
        }
        throw CaptureError(
            .noDevice, "There is no \(capability) \(QuestionText.visible(id.rawValue)) here.",
            remedies: [Remedy("Plug it in, or choose another.", command: "capturegate devices")])
    }

    /// Whether a device is still where it was looked up: another one may have taken its node before that was opened. What
    /// was opened of one that is back by now gives nothing. Who holds it is not looked at.
    static func isStillAtNode(_ device: Device) -> Bool {
        guard let node = device.nodes.first else { return true }
        let found = try? records(of: device.capability)?.find {
            identified($0, device.capability, only: device.id).first?.record.node
        }
        return found == node
    }

    private static let cameraRecords = DeviceRecordCache(walk: CameraScanner.walk)
    private static let microphoneRecords = DeviceRecordCache(walk: MicrophoneScanner.walk)
    private static let freeNodes = FreeNodes()

    private static func records(of capability: CapabilityName) -> DeviceRecordCache? {
        switch capability {
        case .camera: cameraRecords
        case .microphone: microphoneRecords
        default: nil
        }
    }

    /// Looks no further than what decides its id: a gate does so several times for each request.
    private static func find(_ id: DeviceID, _ capability: CapabilityName) throws(EnumerationError) -> Device? {
        let builtIn = BuiltInDevices.all.first { $0.id == id && $0.capability == capability }
        if let builtIn { return builtIn }
        return try records(of: capability)?.find {
            (capability == .camera ? cameras($0, only: id) : microphones($0, only: id)).first?.device
        }
    }

    private static func cameras(_ records: [DeviceRecord], only id: DeviceID? = nil) -> [DiscoveredDevice] {
        let found = identified(records, .camera, only: id)
        let nodes = found.map(\.record.node)
        let holdings = id == nil ? freeNodes.renew(nodes) : freeNodes.holdings(of: nodes)
        return found.map { camera($0.record, $0.identity, holdings[$0.record.node] ?? []) }
    }

    private static func microphones(_ records: [DeviceRecord], only id: DeviceID? = nil) -> [DiscoveredDevice] {
        identified(records, .microphone, only: id).map { microphone($0.record, $0.identity) }
    }

    /// An id depends on which other devices there are, so all are looked at.
    private static func identified(
        _ records: [DeviceRecord], _ capability: CapabilityName, only id: DeviceID?
    ) -> [(record: DeviceRecord, identity: DeviceIdentity)] {
        zip(records, DeviceIdentity.identities(of: records, kind: capability.rawValue))
            .filter { id == nil || $0.1.id == id }
            .map { (record: $0.0, identity: $0.1) }
    }

    private static func camera(
        _ record: DeviceRecord, _ identity: DeviceIdentity, _ holdings: [DeviceHolders.Holding]
    ) -> DiscoveredDevice {
        let capturing = holdings.first(where: \.hasBuffers)
        let device = Device(
            id: identity.id, name: record.name, capability: .camera,
            availability: capturing.map { .busy($0.holder) } ?? .available, ambiguity: identity.ambiguity,
            nodes: [record.node], pcmName: nil, formats: .unknown, aliases: identity.aliases)
        return DiscoveredDevice(device: device, isIdle: holdings.isEmpty)
    }

    private static func microphone(_ record: DeviceRecord, _ identity: DeviceIdentity) -> DiscoveredDevice {
        let busy = ALSAProcfs.isBusy(card: record.card ?? 0, device: record.index)
        let device = Device(
            id: identity.id, name: record.name, capability: .microphone,
            availability: busy ? .busy(DeviceHolders.holdings(of: record.node).first?.holder) : .available,
            ambiguity: identity.ambiguity, nodes: [record.node], pcmName: "hw:\(record.card ?? 0),\(record.index)",
            formats: .unknown, aliases: identity.aliases)
        return DiscoveredDevice(device: device, isIdle: !busy)
    }
}

/// A device as udev, sysfs and /proc show it: its formats are not known yet.
struct DiscoveredDevice {
    let device: Device
    /// Whether nobody holds it, so that opening it disturbs nobody.
    let isIdle: Bool

    /// The device with what it says that it can deliver, where it may be asked, and what went wrong in asking.
    var withFormats: (Device, DeviceInventory.Fault?) {
        guard isIdle, let node = device.nodes.first, NodeAccess.restriction(on: node) == nil else {
            return (device, nil)
        }
        let reading =
            device.capability == .camera ? CameraFormats.read(node) : MicrophoneFormats.read(device.pcmName ?? "")
        let fault = reading.fault.map {
            DeviceInventory.Fault(capability: device.capability, device: device.id, error: $0.error(device))
        }
        return (device.with(reading), fault)
    }
}

extension Device {
    fileprivate func with(_ reading: FormatQueryResult) -> Device {
        Device(
            id: id, name: name, capability: capability, availability: availability, ambiguity: ambiguity, nodes: nodes,
            pcmName: pcmName, formats: reading.formats, aliases: aliases, inputs: reading.inputs,
            colorimetry: reading.colorimetry)
    }
}

/// The devices that are always there, for tests and first steps: a picture with a frame counter in it, and a tone.
enum BuiltInDevices {
    static let bars = Device(
        id: .testPicture, name: "built-in test picture", capability: .camera,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .video(
            [(1920, 1080), (1280, 720), (640, 480)].map { width, height in
                VideoMode(
                    pixelFormat: .yuyv, width: width, height: height,
                    frameRates: [60, 50, 30, 25].compactMap { FrameRate($0) })
            }))

    static let tone = Device(
        id: .testTone, name: "built-in test tone, 997 Hz", capability: .microphone,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .audio(
            AudioRanges(sampleRates: 8000...192_000, channels: 1...8, sampleFormats: [.s16, .s32, .float32])))

    static let all = [bars, tone]
}
