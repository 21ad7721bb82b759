import CaptureRealtime
import Gate

/// Answers of an idle device about what it can do.
package struct LentFormats: BrokerField, Hashable, Sendable {
    package var formats = Device.Formats.unknown
    package var inputs: [VideoInput] = []
    /// First call that failed, as its manual page names it; empty if none did.
    package var call = ""
    /// Its errno.
    package var errno: Int32 = 0

    package static var blank: LentFormats { LentFormats() }
    package init() {}
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&formats)
        try coder.list(&inputs, most: 64)
        try coder.text(&call)
        try coder.number(&errno)
    }
}

extension Device.Formats: BrokerField {
    package static var blank: Device.Formats { .unknown }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, ranges, modes) = (UInt8(0), AudioRanges.blank, [VideoMode]())
        switch self {
        case .unknown: tag = 0
        case .audio(let own): (tag, ranges) = (1, own)
        case .video(let own): (tag, modes) = (2, own)
        }
        try coder.tag(&tag, upTo: 2)
        switch tag {
        case 0: self = .unknown
        case 1: self = .audio(try coder.passed(ranges))
        default:
            try coder.list(&modes)
            self = .video(modes)
        }
    }
}

extension AudioRanges: BrokerField {
    package static var blank: AudioRanges { AudioRanges(sampleRates: 1...1, channels: 1...1, sampleFormats: []) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var formats = sampleFormats
        let rates = try Self.range(sampleRates, &coder)
        let channels = try Self.range(channels, &coder)
        try coder.list(&formats, most: SampleFormat.allCases.count)
        self = AudioRanges(sampleRates: rates, channels: channels, sampleFormats: formats)
    }

    /// Passes the two ends of a range.
    private static func range(
        _ range: ClosedRange<Int>, _ coder: inout FieldCoder
    ) throws(BrokerFault) -> ClosedRange<Int> {
        var (lowest, highest) = (range.lowerBound, range.upperBound)
        try coder.size(&lowest, in: 0...Int(UInt32.max))
        try coder.size(&highest, in: 0...Int(UInt32.max))
        guard lowest <= highest else { throw .value }
        return lowest...highest
    }
}

extension SampleFormat: BrokerField {
    package static var blank: SampleFormat { .s16 }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.choice(&self, among: [.s16, .s24Packed, .s24, .s32, .float32])
    }
}

extension VideoMode: BrokerField {
    package static var blank: VideoMode { VideoMode(pixelFormat: .blank, width: 0, height: 0, frameRates: []) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (width, height, smaller, rates) = (width, height, smaller, frameRates)
        let format = try coder.passed(pixelFormat)
        try coder.size(&width, in: 0...Int(Int32.max))
        try coder.size(&height, in: 0...Int(Int32.max))
        try coder.optional(&smaller)
        try coder.list(&rates, most: 512)
        self = VideoMode(
            pixelFormat: format, width: width, height: height, smaller: smaller, frameRates: rates,
            takesRatesBetween: try coder.passed(takesRatesBetween))
    }
}

extension SizeSteps: BrokerField {
    package static var blank: SizeSteps { SizeSteps(width: 1, height: 1, widthStep: 1, heightStep: 1) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (width, height, across, down) = (width, height, widthStep, heightStep)
        try coder.size(&width, in: 0...Int(Int32.max))
        try coder.size(&height, in: 0...Int(Int32.max))
        try coder.size(&across, in: 1...Int(Int32.max))
        try coder.size(&down, in: 1...Int(Int32.max))
        self = SizeSteps(width: width, height: height, widthStep: across, heightStep: down)
    }
}

extension PixelFormat: BrokerField {
    package static var blank: PixelFormat { PixelFormat(rawValue: 0) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = PixelFormat(rawValue: try coder.passed(rawValue))
    }
}

extension FrameRate: BrokerField {
    package static var blank: FrameRate { FrameRate(unchecked: 1, 1) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (frames, seconds) = (numerator, denominator)
        try coder.size(&frames, in: 1...Int(UInt32.max))
        try coder.size(&seconds, in: 1...Int(UInt32.max))
        self = FrameRate(unchecked: frames, seconds)
    }
}

extension VideoInput: BrokerField {
    package static var blank: VideoInput {
        VideoInput(index: 0, name: "", isCurrent: false, signal: .present, standards: [])
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (index, signal, standards, timings, takes) = (index, signal, standards, timings, takes)
        try coder.size(&index, in: 0...65_535)
        let name = try coder.passed(name)
        let isCurrent = try coder.passed(isCurrent)
        try coder.choice(&signal, among: SignalState.allCases)
        try coder.list(&standards, most: 64)
        try coder.optional(&timings)
        try coder.list(&takes, most: 512)
        self = VideoInput(
            index: index, name: name, isCurrent: isCurrent, signal: signal, standards: standards, timings: timings,
            takes: takes)
    }
}

extension VideoStandard: BrokerField {
    package static var blank: VideoStandard { .automatic }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = VideoStandard(rawValue: try coder.passed(rawValue))
    }
}

extension VideoTimings: BrokerField {
    package static var blank: VideoTimings { VideoTimings(.blank) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = VideoTimings(try coder.passed(shape))
    }
}

/// Request to set a control.
package struct ControlOrder: BrokerField, Hashable, Sendable {
    package var choice = DeviceChoice.blank
    /// Number of the control on the device.
    package var control: UInt32 = 0
    package var value = ControlValue.blank

    package static var blank: ControlOrder { ControlOrder() }
    package init() {}
    package init(_ choice: DeviceChoice, _ control: UInt32, _ value: ControlValue) {
        self.choice = choice
        self.control = control
        self.value = value
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&choice)
        try coder.number(&control)
        try coder.field(&value)
    }
}

/// Controls of a device, with their present values.
package struct LentControls: BrokerField, Hashable, Sendable {
    package var controls: [DeviceControl] = []

    package static var blank: LentControls { LentControls() }
    package init(_ controls: [DeviceControl] = []) { self.controls = controls }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.list(&controls) }
}

extension ControlValue: BrokerField {
    package static var blank: ControlValue { .integer(0) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, number, text, level) = (UInt8(0), Int64(0), "", 0.0)
        switch self {
        case .integer(let own): (tag, number) = (0, own)
        case .text(let own): (tag, text) = (1, own)
        case .decibels(let own): (tag, level) = (2, own)
        }
        try coder.tag(&tag, upTo: 2)
        switch tag {
        case 0: self = .integer(try coder.passed(number))
        case 1: self = .text(try coder.passed(text))
        default:
            try coder.level(&level)
            self = .decibels(level)
        }
    }
}

extension ControlItem: BrokerField {
    package static var blank: ControlItem { ControlItem(number: 0, name: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        let number = try coder.passed(number)
        self = ControlItem(number: number, name: try coder.passed(name))
    }
}

extension ControlDecibels: BrokerField {
    package static var blank: ControlDecibels { ControlDecibels(range: 0...0, value: nil) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (lowest, highest, level) = (range.lowerBound, range.upperBound, value ?? 0)
        var isAudible = value != nil
        try coder.level(&lowest)
        try coder.level(&highest)
        guard lowest <= highest else { throw .value }
        try coder.field(&isAudible)
        if isAudible { try coder.level(&level) }
        self = ControlDecibels(range: lowest...highest, value: isAudible ? level : nil)
    }
}

extension AutomaticControl: BrokerField {
    package static var blank: AutomaticControl { AutomaticControl(name: "", manual: .blank) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        let name = try coder.passed(name)
        self = AutomaticControl(name: name, manual: try coder.passed(manual))
    }
}

extension DeviceControl: BrokerField {
    package static var blank: DeviceControl { DeviceControl(id: 0, name: "", label: "", kind: .integer) }

    /// All kinds, by their numbers in packets.
    private static let kinds: [Kind] = [
        .integer, .boolean, .menu, .integerMenu, .button, .integer64, .string, .bitmask, .compound,
    ]

    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (kind, lowest, highest, step) = (kind, range.lowerBound, range.upperBound, step)
        var (fallback, flags, items) = (defaultValue, flags.rawValue, items)
        var (value, decibels, automatic) = (value, decibels, automatic)
        let (id, name, label) = (try coder.passed(id), try coder.passed(name), try coder.passed(label))
        try coder.choice(&kind, among: Self.kinds)
        try coder.number(&lowest)
        try coder.number(&highest)
        try coder.number(&step)
        guard lowest <= highest, step > 0 else { throw .value }
        try coder.optional(&fallback)
        try coder.number(&flags)
        try coder.list(&items)
        try coder.optional(&value)
        try coder.optional(&decibels)
        try coder.optional(&automatic)
        self = DeviceControl(
            id: id, name: name, label: label, kind: kind, range: lowest...highest, step: step, defaultValue: fallback,
            flags: ControlFlags(rawValue: flags), items: items, value: value, decibels: decibels, automatic: automatic)
    }
}

extension FieldCoder {
    /// Passes a level in decibels, as a whole number of hundredths.
    fileprivate mutating func level(_ value: inout Double) throws(BrokerFault) {
        guard isReading || abs(value) < 1e6 else { throw .value }
        var hundredths = isReading ? Int32(0) : Int32((value * 100).rounded())
        try number(&hundredths)
        guard abs(Int64(hundredths)) < 100_000_000 else { throw .value }
        value = Double(hundredths) / 100
    }
}
