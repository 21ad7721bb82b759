import CMedia

/// Controls of a video node (`VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_G_EXT_CTRLS` and related requests).
///
/// *session-bound*
final class CameraControls: ControlBackend {
    private let node: Int32

    /// Opens the node without streaming, which works while another process captures.
    ///
    /// - Throws: `open` and its errno.
    init(opening path: String) throws(DeviceCallError) {
        node = try DeviceCallError.check("open", cm_v4l2_open(path))
    }

    deinit { _ = cm_close(node) }

    func controls() throws(DeviceCallError) -> [DeviceControl] {
        let raw = try queryAll()
        let names = ControlName.distinct(raw.map { ControlName.spelled(Self.label($0)) })
        let byNumber = Dictionary(zip(raw.map(\.id), names)) { first, _ in first }
        return try zip(raw, names).map { raw, name throws(DeviceCallError) in
            try control(raw, name: name, automatic: automatic(of: raw.id, names: byNumber))
        }
    }

    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl {
        var raw = cm_v4l2_control()
        try DeviceCallError.check("VIDIOC_QUERY_EXT_CTRL", cm_v4l2_queryctrl(node, control.id, &raw))
        return try self.control(raw, name: control.name, automatic: control.automatic)
    }

    /// Writes a value that was checked.
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue {
        switch value {
        case .text(let text):
            let result = cm_v4l2_s_text(node, control.id, text, UInt32(text.utf8.count) + 1)
            try DeviceCallError.check("VIDIOC_S_EXT_CTRLS", result)
        case .integer(let number) where control.kind == .integer64:
            try DeviceCallError.check("VIDIOC_S_EXT_CTRLS", cm_v4l2_s_ctrl64(node, control.id, number))
        case .integer(let number):
            // A bitmask has 32 bits without a sign; V4L2 transfers them as a signed number.
            let word = Int32(truncatingIfNeeded: number)
            try DeviceCallError.check("VIDIOC_S_CTRL", cm_v4l2_s_ctrl(node, control.id, word))
        case .decibels: throw DeviceCallError(call: "VIDIOC_S_CTRL", errno: EINVAL)
        }
        return value
    }

    // MARK: One control

    /// Walks all controls, compound ones included, without their class headings and without disabled ones.
    private func queryAll() throws(DeviceCallError) -> [cm_v4l2_control] {
        let next = UInt32(CM_V4L2_CTRL_NEXT) | UInt32(CM_V4L2_CTRL_NEXT_COMPOUND)
        var found: [cm_v4l2_control] = []
        var raw = cm_v4l2_control()
        var result = cm_v4l2_queryctrl(node, next, &raw)
        // A driver that never ends its list would hang the listing.
        while result >= 0, found.count < 1024 {
            if Self.kind(raw) != nil, !ControlFlags(rawValue: raw.flags).contains(.disabled) { found.append(raw) }
            result = cm_v4l2_queryctrl(node, raw.id | next, &raw)
        }
        // A node without controls has no such request, a list that is over no next control.
        if result != -EINVAL, result != -ENOTTY { try DeviceCallError.check("VIDIOC_QUERY_EXT_CTRL", result) }
        return found
    }

    /// Translates the driver's description and reads the value.
    private func control(
        _ raw: cm_v4l2_control, name: String, automatic: AutomaticControl?
    ) throws(DeviceCallError) -> DeviceControl {
        let kind = Self.kind(raw) ?? .compound
        let flags = ControlFlags(rawValue: raw.flags)
        return try DeviceControl(
            id: raw.id, name: name, label: Self.label(raw), kind: kind, range: Self.range(raw, kind),
            step: Int64(clamping: raw.step), defaultValue: Self.hasDefault(kind) ? raw.default_value : nil,
            flags: flags, items: items(raw, kind), value: flags.contains(.writeOnly) ? nil : value(raw, kind),
            automatic: automatic)
    }

    /// Finds the automatic control among those that this device has.
    private func automatic(of control: UInt32, names: [UInt32: String]) -> AutomaticControl? {
        guard let pair = AutomaticPair.partner(of: control), let name = names[pair.number] else { return nil }
        return AutomaticControl(name: name, manual: .integer(pair.manual))
    }

    /// Reads a menu. At most 1024 items are queried, one request each: a driver's range may be absurd.
    private func items(_ raw: cm_v4l2_control, _ kind: DeviceControl.Kind) throws(DeviceCallError) -> [ControlItem] {
        guard kind == .menu || kind == .integerMenu, raw.minimum >= 0, raw.maximum >= raw.minimum else { return [] }
        var items: [ControlItem] = []
        for number in raw.minimum...min(raw.maximum, raw.minimum + 1023) {
            var menu = cm_v4l2_menu()
            let result = cm_v4l2_querymenu(node, raw.id, UInt32(clamping: number), &menu)
            // A number that the device omits from its menu is not a valid argument.
            if result == -EINVAL { continue }
            try DeviceCallError.check("VIDIOC_QUERYMENU", result)
            let name = FixedText.of(menu.name)
            items.append(ControlItem(number: number, name: kind == .menu ? name : String(menu.value)))
        }
        return items
    }

    /// Reads a value; `nil` if the device refuses. The other controls are worth listing all the same.
    private func value(_ raw: cm_v4l2_control, _ kind: DeviceControl.Kind) -> ControlValue? {
        switch kind {
        case .button, .compound: return nil
        case .string: return text(raw)
        case .integer64:
            var number: Int64 = 0
            return cm_v4l2_g_ctrl64(node, raw.id, &number) >= 0 ? .integer(number) : nil
        case .bitmask, .integer, .boolean, .menu, .integerMenu:
            var number: Int32 = 0
            guard cm_v4l2_g_ctrl(node, raw.id, &number) >= 0 else { return nil }
            return .integer(kind == .bitmask ? Int64(UInt32(bitPattern: number)) : Int64(number))
        }
    }

    /// Reads a string control; V4L2 wants the buffer to be at least the maximum length and a zero.
    private func text(_ raw: cm_v4l2_control) -> ControlValue? {
        let size = Int(min(max(raw.maximum, 0), 65_535)) + 1
        var text = [CChar](repeating: 0, count: size)
        guard cm_v4l2_g_text(node, raw.id, &text, UInt32(size)) >= 0 else { return nil }
        return .text(FixedText.of(text))
    }
}

extension CameraControls {
    /// Driver's name of a control.
    private static func label(_ raw: cm_v4l2_control) -> String { FixedText.of(raw.name) }

    /// Kind of a control; `nil` for the heading of a class of controls.
    private static func kind(_ raw: cm_v4l2_control) -> DeviceControl.Kind? {
        let hasPayload = ControlFlags(rawValue: raw.flags).contains(.hasPayload)
        // Types from V4L2_CTRL_COMPOUND_TYPES on, and arrays, have no single value. Strings (7) have a payload as well,
        // but are read as text.
        if raw.type >= 0x100 || raw.elements > 1 || hasPayload && raw.type != 7 { return .compound }
        // V4L2_CTRL_TYPE_*
        switch raw.type {
        case 1: return .integer
        case 2: return .boolean
        case 3: return .menu
        case 4: return .button
        case 5: return .integer64
        case 7: return .string
        case 8: return .bitmask
        case 9: return .integerMenu
        case 6: return nil
        default: return .compound
        }
    }

    /// Range of values. A driver that reports a maximum below the minimum must not end the program.
    private static func range(_ raw: cm_v4l2_control, _ kind: DeviceControl.Kind) -> ClosedRange<Int64> {
        if kind == .bitmask { return 0...max(0, Int64(UInt32(truncatingIfNeeded: raw.maximum))) }
        return raw.minimum...max(raw.minimum, raw.maximum)
    }

    /// True for kinds whose default is a number.
    private static func hasDefault(_ kind: DeviceControl.Kind) -> Bool {
        kind != .button && kind != .compound && kind != .string
    }
}
