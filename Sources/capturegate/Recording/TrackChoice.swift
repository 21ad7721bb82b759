import CaptureEncoding
import CaptureGate

/// Which devices a recording takes, from what was said of them.
struct TrackChoice {
    let camera: DeviceQuery?
    let microphone: DeviceQuery?

    /// - Parameters:
    ///   - camera, microphone: an id, a part of a name, `default` or `none`; `nil` where nothing was said.
    init(format: ClipFormat, camera: String?, microphone: String?) {
        // Who names one device wants that one; who names none, or only what to leave out, wants what the file can hold.
        let isNamed = [camera, microphone].contains { $0 != nil && $0 != "none" }
        func query(_ text: String?, _ kind: MediaKind) -> DeviceQuery? {
            guard let text else { return isNamed || !format.kinds.contains(kind) ? nil : .default }
            return text == "none" ? nil : DeviceQuery(text)
        }
        self.camera = query(camera, .video)
        self.microphone = query(microphone, .audio)
    }

    var kinds: [MediaKind] { (camera == nil ? [] : [.video]) + (microphone == nil ? [] : [.audio]) }

    /// - Throws: `.usage` where something is said of a device that is not recorded.
    func check(_ picture: PictureOptions, _ sound: SoundOptions) throws(CaptureError) {
        if camera == nil, let option = picture.said { throw Self.vain(option, .camera) }
        if microphone == nil, let option = sound.said { throw Self.vain(option, .microphone) }
        if camera == nil, sound.sync == .picture { throw Self.vain("--sync picture", .camera) }
    }

    /// - Throws: `.noDevice`, also where both were left to the machine and it has only one of them.
    func devices(_ listing: [Device]) throws(CaptureError) -> [Device] {
        var devices: [Device] = []
        if let camera { devices.append(try Self.pick(camera, .camera, listing, other: microphone)) }
        if let microphone { devices.append(try Self.pick(microphone, .microphone, listing, other: camera)) }
        return devices
    }

    private static func pick(
        _ query: DeviceQuery, _ capability: CapabilityName, _ listing: [Device], other: DeviceQuery?
    ) throws(CaptureError) -> Device {
        do throws(CaptureError) {
            return try query.pick(from: listing, capability)
        } catch {
            guard other != nil else { throw error }
            let without = Remedy("Or record without it: add --\(capability) none.")
            throw CaptureError(error.kind, error.message, errno: error.errno, remedies: error.remedies + [without])
        }
    }

    private static func vain(_ option: String, _ capability: CapabilityName) -> CaptureError {
        CaptureError(
            .usage, "\(option) is about a \(capability), and none is recorded.",
            remedies: [Remedy("Name one with --\(capability), or leave \(option) out.")])
    }
}
