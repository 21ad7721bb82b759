import Gate

/// Microphones and cameras of this machine, and the built-in test devices.
///
/// *thread-safe*
public enum DeviceCatalog {
    /// Depth of a scan.
    public enum Detail: Sendable {
        /// Ids, names, nodes and availability, from udev, sysfs and /proc. No capture node is opened.
        case identity
        /// Also capabilities. Opens the nodes that no process uses, without streaming.
        case formats
    }

    /// Lists the present devices: cameras, then microphones, then the built-in ones, each sorted by id.
    ///
    /// A machine without audio, video or udev has none, which is not an error. Faults that hide devices are not reported here;
    /// ``inventory(_:of:)`` reports them.
    /// - Parameters:
    ///   - detail: depth of the scan.
    ///   - capability: one kind only, or `nil` for both; searching for the other takes time.
    public static func scan(_ detail: Detail = .formats, of capability: CapabilityName? = nil) -> [Device] {
        inventory(detail, of: capability).devices
    }

    /// Lists the devices, together with the errors of the scan. An error of one device does not hide the others. With
    /// formats, the list includes the devices of a sound server.
    ///
    /// - Parameters:
    ///   - detail: depth of the scan.
    ///   - capability: one kind alone, or `nil` for both.
    public static func inventory(
        _ detail: Detail = .formats, of capability: CapabilityName? = nil
    ) -> DeviceInventory {
        let capabilities = capability.map { [$0] } ?? [.camera, .microphone]
        let own = inventory(detail, of: capabilities, without: [])
        guard detail == .formats else { return own }
        let all = capabilities.flatMap { kind in
            own.devices.filter { $0.capability == kind && !$0.isBuiltIn } + provided(kind)
        }
        return DeviceInventory(devices: all + own.devices.filter(\.isBuiltIn), faults: own.faults)
    }

    /// Lists devices while some are being removed: the kernel announces a removal before it removes the device from /sys.
    ///
    /// - Parameters:
    ///   - detail: depth of the scan.
    ///   - capabilities: kinds to look for.
    ///   - gone: paths in /sys of devices that no longer count.
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

    /// Finds a device by its id, including a PCM of ALSA's configuration (`alsa:NAME`), which no listing shows.
    ///
    /// - Parameters:
    ///   - id: id from a listing, or `alsa:NAME`.
    ///   - capability: kind of device.
    /// - Throws: `.noDevice` if it is missing.
    public static func device(_ id: DeviceID, _ capability: CapabilityName) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(id) { return named }
        if let provided = provided(id, capability) { return provided }
        do {
            if let device = try find(id, capability) { return device }
        } catch {
            throw error.error(capability)
        }
        throw CaptureError(
            .noDevice, "The \(capability) \(QuestionText.visible(id.rawValue)) does not exist on this machine.",
            remedies: [Remedy("Plug it in, or choose another device.", .listDevices)])
    }

    /// True if a device is still at the node where it was looked up.
    ///
    /// Called after the node was opened: another device may have its place now. A descriptor of a device that was unplugged and
    /// plugged in again delivers nothing. Holders are not checked.
    static func isStillAtNode(_ device: Device) -> Bool {
        guard let node = device.nodes.first else { return true }
        let found = try? records(of: device.capability)?.find {
            identified($0, device.capability, only: device.id).first?.record.node
        }
        return found == node
    }

    /// Records of the last scans, for all lookups of this process.
    private static let cameraRecords = DeviceRecordCache(walk: CameraScanner.walk)
    private static let microphoneRecords = DeviceRecordCache(walk: MicrophoneScanner.walk)
    /// Nodes that nobody held at the last check.
    private static let idleNodes = IdleNodeCache()

    /// Cache of one kind of device.
    private static func records(of capability: CapabilityName) -> DeviceRecordCache? {
        switch capability {
        case .camera: cameraRecords
        case .microphone: microphoneRecords
        default: nil
        }
    }

    /// Finds a device by its id, without the detail of a listing: the gate does so several times for each request.
    private static func find(_ id: DeviceID, _ capability: CapabilityName) throws(EnumerationError) -> Device? {
        let builtIn = BuiltInDevices.all.first { $0.id == id && $0.capability == capability }
        if let builtIn { return builtIn }
        return try records(of: capability)?.find {
            (capability == .camera ? cameras($0, only: id) : microphones($0, only: id)).first?.device
        }
    }

    /// Cameras with their holders.
    private static func cameras(_ records: [DeviceRecord], only id: DeviceID? = nil) -> [DiscoveredDevice] {
        let found = identified(records, .camera, only: id)
        let nodes = found.map(\.record.node)
        // A listing searches for all holders again. A lookup may use a recent result, since the search reads all of /proc.
        let holdings = id == nil ? idleNodes.renew(nodes) : idleNodes.holdings(of: nodes)
        return found.map { camera($0.record, $0.identity, holdings[$0.record.node] ?? []) }
    }

    /// Microphones with their holders.
    private static func microphones(_ records: [DeviceRecord], only id: DeviceID? = nil) -> [DiscoveredDevice] {
        identified(records, .microphone, only: id).map { microphone($0.record, $0.identity) }
    }

    /// Records with their identities. An id depends on which other devices there are, so all records are needed for
    /// one.
    private static func identified(
        _ records: [DeviceRecord], _ capability: CapabilityName, only id: DeviceID?
    ) -> [(record: DeviceRecord, identity: DeviceIdentity)] {
        zip(records, DeviceIdentity.identities(of: records, kind: capability.rawValue))
            .filter { id == nil || $0.1.id == id }
            .map { (record: $0.0, identity: $0.1) }
    }

    /// A camera that somebody has open is busy only once buffers are mapped: an open node alone, such as a settings
    /// window's, disturbs no capture.
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

    /// A PCM device is busy if all its substreams are in use, which /proc/asound shows without opening it.
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

/// Device as udev, sysfs and /proc show it, before its formats are queried.
struct DiscoveredDevice {
    /// Device without formats.
    let device: Device
    /// True if nobody holds it, so that opening it disturbs nobody.
    let isIdle: Bool

    /// Device with its formats, if it may be queried, and the fault if the query failed.
    ///
    /// A node that this user may not open is not tried; the gate reports that restriction itself.
    var withFormats: (Device, DeviceInventory.Fault?) {
        guard isIdle, let node = device.nodes.first else { return (device, nil) }
        if NodeAccess.restriction(on: node) != nil { return ((try? device.askedByBroker()) ?? device, nil) }
        let reading =
            device.capability == .camera ? CameraFormats.read(node) : MicrophoneFormats.read(device.pcmName ?? "")
        let fault = reading.fault.map {
            DeviceInventory.Fault(capability: device.capability, device: device.id, error: $0.error(device))
        }
        return (device.with(reading), fault)
    }
}

extension Device {
    /// The same device with the answers.
    func with(_ reading: FormatQueryResult) -> Device {
        Device(
            id: id, name: name, capability: capability, availability: availability, ambiguity: ambiguity, nodes: nodes,
            pcmName: pcmName, formats: reading.formats, aliases: aliases, inputs: reading.inputs,
            colorimetry: reading.colorimetry)
    }
}

/// Devices that are always there, for tests and first steps: an image with a frame counter in it, and a tone.
///
/// They go through the same gate, ring and loop as real devices, and are never the machine's choice.
enum BuiltInDevices {
    /// Camera `test:bars`.
    static let bars = Device(
        id: .testPicture, name: "built-in test pattern", capability: .camera,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .video(
            [(1920, 1080), (1280, 720), (640, 480)].map { width, height in
                VideoMode(
                    pixelFormat: .yuyv, width: width, height: height,
                    frameRates: [60, 50, 30, 25].compactMap { FrameRate($0) })
            }))

    /// Microphone `test:tone`.
    static let tone = Device(
        id: .testTone, name: "built-in test tone, 997 Hz", capability: .microphone,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .audio(
            AudioRanges(sampleRates: 8000...192_000, channels: 1...8, sampleFormats: [.s16, .s32, .float32])))

    /// Order in which a listing shows them.
    static let all = [bars, tone]
}
