/// Finds the cameras among the video4linux nodes.
///
/// A camera often has several nodes: UVC shows a second one for metadata, test drivers have outputs, radios and VBI.
/// udev's `ID_V4L_CAPABILITIES` says what each node does; of the nodes that capture and share a parent interface, the
/// one with the lowest index is the camera.
enum CameraScanner {
    static func walk() -> EnumerationResult {
        var records: [DeviceRecord] = []
        let hasDaemon = UdevEnumerator.hasDaemon
        let faults = UdevEnumerator.forEach(in: "video4linux", named: "video*") { device in
            if !hasDaemon || device.isInitialized, let record = record(of: device) { records.append(record) }
        }
        return EnumerationResult(records: onePerCamera(records), faults: faults)
    }

    private static func record(of device: borrowing UdevDevice) -> DeviceRecord? {
        guard let node = device.node, device.systemName.hasPrefix("video") else { return nil }
        let properties = device.properties
        if let capabilities = properties["ID_V4L_CAPABILITIES"] {
            guard capabilities.contains(":capture:") else { return nil }
        } else if !mayCapture(name: device.attribute("name") ?? "") {
            return nil
        }
        return DeviceRecord(
            systemPath: device.systemPath, node: node,
            name: device.attribute("name") ?? properties["ID_V4L_PRODUCT"] ?? device.systemName,
            properties: properties,
            parentPath: device.parentPath("usb", "usb_interface"),
            index: device.attribute("index").flatMap { Int($0) } ?? 0, card: nil)
    }

    /// Without udevd nobody has asked the node what it does; its name tells outputs and metadata of the drivers that
    /// say so, and the opening tells the rest.
    private static func mayCapture(name: String) -> Bool {
        let name = name.lowercased()
        return !["-out", "meta", "vbi", "touch", "sdr"].contains { name.contains($0) }
    }

    static func onePerCamera(_ records: [DeviceRecord]) -> [DeviceRecord] {
        var best: [String: DeviceRecord] = [:]
        for record in records {
            let key = record.parentPath ?? record.systemPath
            if let other = best[key], other.index <= record.index { continue }
            best[key] = record
        }
        return best.values.sorted { $0.systemPath < $1.systemPath }
    }
}
