import CMedia

/// Mixer controls of a sound card that concern a microphone (`snd_ctl_elem_info` and related functions).
///
/// The mixer belongs to the card: several microphones of one card show the same volumes. These are the elements of the
/// low-level interface; `alsamixer` shows several of them as one.
///
/// *session-bound*
final class MixerControls: ControlBackend {
    private let mixer: OpaquePointer
    /// ALSA's number of the PCM device.
    private let device: UInt32

    /// Opens the mixer of the card that a PCM belongs to.
    ///
    /// - Parameter pcmName: `hw:CARD,DEVICE`.
    /// - Throws: ENODEV for another name; `snd_ctl_open` and its errno.
    init(opening pcmName: String) throws(DeviceCallError) {
        let parts = pcmName.split(separator: ",")
        guard parts.count == 2, parts[0].hasPrefix("hw:"), let device = UInt32(parts[1]) else {
            throw DeviceCallError(call: "snd_ctl_open", errno: ENODEV)
        }
        self.device = device
        _ = cm_alsa_setup()
        var mixer: OpaquePointer?
        try DeviceCallError.check("snd_ctl_open", cm_mixer_open(&mixer, String(parts[0])))
        guard let mixer else { throw DeviceCallError(call: "snd_ctl_open", errno: ENOMEM) }
        self.mixer = mixer
    }

    deinit { _ = cm_ctl_close(mixer) }

    func controls() throws(DeviceCallError) -> [DeviceControl] {
        var elements: [cm_elem] = []
        for number in try numbers() {
            var element = cm_elem()
            // An element may go between the list and the query.
            if cm_elem_info(mixer, number, &element) >= 0, isOfMicrophone(element) { elements.append(element) }
        }
        let names = ControlName.distinct(elements.map { ControlName.spelled(Self.label($0)) })
        return zip(elements, names).map { control($0, name: $1) }
    }

    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl {
        self.control(try element(control), name: control.name)
    }

    /// Sets all channels alike.
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue {
        var element = try element(control)
        let number = try raw(value, of: control)
        let values = [Int64](repeating: number, count: Int(CM_ELEM_CHANNELS))
        try DeviceCallError.check("snd_ctl_elem_write", cm_elem_write(mixer, &element, values))
        return .integer(number)
    }

    /// Value in the element's own steps.
    private func raw(_ value: ControlValue, of control: DeviceControl) throws(DeviceCallError) -> Int64 {
        switch value {
        case .integer(let number): return number
        case .text: throw DeviceCallError(call: "snd_ctl_elem_write", errno: EINVAL)
        case .decibels(let level):
            var number: Int64 = 0
            try DeviceCallError.check(
                "snd_ctl_convert_from_dB",
                cm_elem_from_decibels(mixer, control.id, Int64((level * 100).rounded()), &number))
            return number
        }
    }

    /// Numbers of all elements. The list is read twice, for its length and for its entries, and may have changed in between.
    private func numbers() throws(DeviceCallError) -> [UInt32] {
        let count = try DeviceCallError.check("snd_ctl_elem_list", cm_elem_list(mixer, nil, 0))
        var numbers = [UInt32](repeating: 0, count: Int(min(count, 4096)))
        guard !numbers.isEmpty else { return [] }
        let now = try DeviceCallError.check("snd_ctl_elem_list", cm_elem_list(mixer, &numbers, UInt32(numbers.count)))
        return Array(numbers.prefix(Int(now)))
    }

    /// Present description of an element.
    private func element(_ control: DeviceControl) throws(DeviceCallError) -> cm_elem {
        var element = cm_elem()
        try DeviceCallError.check("snd_ctl_elem_info", cm_elem_info(mixer, control.id, &element))
        return element
    }

    /// True for settings of this microphone. The kernel names an element SOURCE DIRECTION FUNCTION; without a direction
    /// it is for both.
    private func isOfMicrophone(_ element: cm_elem) -> Bool {
        guard Self.kind(element) != nil else { return false }
        // SND_CTL_ELEM_IFACE_PCM, of the substream that is opened first; below SND_CTL_ELEM_IFACE_MIXER.
        if element.interface == 3 { return element.device == device && element.subdevice == 0 }
        return element.interface == 2 && !FixedText.of(element.name).contains("Playback")
    }
}

extension MixerControls {
    /// Element's name, with its index where several share the name.
    private static func label(_ element: cm_elem) -> String {
        FixedText.of(element.name) + (element.index == 0 ? "" : " \(element.index)")
    }

    /// Kind of an element; `nil` for one that is no setting, such as a block of bytes.
    private static func kind(_ element: cm_elem) -> DeviceControl.Kind? {
        // SND_CTL_ELEM_TYPE_*
        switch element.type {
        case 1: .boolean
        case 2: .integer
        case 3: .menu
        case 6: .integer64
        default: nil
        }
    }

    /// Translates an element and reads its value.
    private func control(_ element: cm_elem, name: String) -> DeviceControl {
        let kind = Self.kind(element) ?? .compound
        let value = value(element)
        let range = kind == .boolean ? 0...1 : element.minimum...max(element.minimum, element.maximum)
        return DeviceControl(
            id: element.number, name: name, label: Self.label(element), kind: kind, range: range, step: element.step,
            flags: Self.flags(element), items: items(element), value: value.map { .integer($0) },
            decibels: kind == .integer ? decibels(element, value) : nil)
    }

    /// ALSA's access bits as V4L2's flags. A locked element is one that another process reserves.
    private static func flags(_ element: cm_elem) -> ControlFlags {
        func has(_ flag: UInt32) -> Bool { element.flags & flag != 0 }
        var flags: ControlFlags = []
        if !has(UInt32(CM_ELEM_WRITABLE)) { flags.insert(.readOnly) }
        if !has(UInt32(CM_ELEM_READABLE)) { flags.insert(.writeOnly) }
        if has(UInt32(CM_ELEM_INACTIVE)) { flags.insert(.inactive) }
        if has(UInt32(CM_ELEM_LOCKED)) { flags.insert(.grabbed) }
        if has(UInt32(CM_ELEM_VOLATILE)) { flags.insert(.volatile) }
        return flags
    }

    /// Reads an enumeration's items, without those that the driver refuses.
    private func items(_ element: cm_elem) -> [ControlItem] {
        guard element.type == 3 else { return [] }
        return (0..<min(element.items, 1024)).compactMap { item in
            var name = [CChar](repeating: 0, count: 64)
            guard cm_elem_item(mixer, element.number, item, &name, UInt32(name.count)) >= 0 else { return nil }
            return ControlItem(number: Int64(item), name: FixedText.of(name))
        }
    }

    /// Value of the first channel; `nil` if it can't be read.
    private func value(_ element: cm_elem) -> Int64? {
        guard element.flags & UInt32(CM_ELEM_READABLE) != 0, element.count > 0 else { return nil }
        var (element, values) = (element, [Int64](repeating: 0, count: Int(CM_ELEM_CHANNELS)))
        return cm_elem_read(mixer, &element, &values) >= 0 ? values[0] : nil
    }

    /// Scale in decibels; `nil` if the element has none.
    private func decibels(_ element: cm_elem, _ value: Int64?) -> ControlDecibels? {
        var (least, most): (Int64, Int64) = (0, 0)
        guard cm_elem_decibel_range(mixer, element.number, &least, &most) >= 0 else { return nil }
        // The lowest step is silence: the scale begins at the step above.
        if least <= Self.silence { least = level(element, element.minimum + 1) ?? most }
        guard least <= most else { return nil }
        let now = value.flatMap { level(element, $0) }
        return ControlDecibels(
            range: Double(least) / 100...Double(most) / 100, value: now.map { Double($0) / 100 })
    }

    /// SND_CTL_TLV_DB_GAIN_MUTE, in hundredths of a dB.
    private static var silence: Int64 { -9_999_999 }

    /// Level of a value in hundredths of a dB; `nil` for silence.
    private func level(_ element: cm_elem, _ value: Int64) -> Int64? {
        var hundredths: Int64 = 0
        guard cm_elem_to_decibels(mixer, element.number, value, &hundredths) >= 0, hundredths > Self.silence else {
            return nil
        }
        return hundredths
    }
}
