import CaptureRealtime
import Gate

/// Request for a device, judged by the broker's own gate.
package struct StreamOrder: BrokerField, Hashable, Sendable {
    package var device = DeviceID.blank
    package var capability = CapabilityName.blank
    package var level = AccessLevel.blank
    /// Sentence for the person and the audit log.
    package var purpose = ""
    package var wish = StreamWish.blank

    package static var blank: StreamOrder { StreamOrder() }
    package init() {}
    package init(
        _ device: DeviceID, as capability: CapabilityName, for level: AccessLevel, purpose: String, _ wish: StreamWish
    ) {
        self.device = device
        self.capability = capability
        self.level = level
        self.purpose = purpose
        self.wish = wish
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&device)
        try coder.field(&capability)
        try coder.field(&level)
        try coder.text(&purpose)
        try coder.field(&wish)
    }
}

/// Request to open a stream's device once more.
package struct StreamReturn: BrokerField, Hashable, Sendable {
    package var stream: UInt32 = 0
    package var wish = StreamWish.blank

    package static var blank: StreamReturn { StreamReturn() }
    package init() {}
    package init(_ stream: UInt32, _ wish: StreamWish) {
        self.stream = stream
        self.wish = wish
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&stream)
        try coder.field(&wish)
    }
}

/// Wished format of a stream.
package enum StreamWish: BrokerField, Hashable, Sendable {
    /// The input by its name is looked up by the broker; empty keeps the number in the settings.
    case video(CameraSettings, input: String)
    case audio(PCMSettings)

    package static var blank: StreamWish { .video(CameraSettings(), input: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, camera, input, pcm) = (UInt8(0), CameraSettings(), "", PCMSettings())
        switch self {
        case .video(let settings, let name): (tag, camera, input) = (0, settings, name)
        case .audio(let settings): (tag, pcm) = (1, settings)
        }
        try coder.tag(&tag, upTo: 1)
        if tag == 0 {
            let settings = try coder.passed(camera)
            self = .video(settings, input: try coder.passed(input))
        } else {
            self = .audio(try coder.passed(pcm))
        }
    }
}

extension CameraSettings: BrokerField {
    package static var blank: CameraSettings { CameraSettings() }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.size(&width, in: 0...65_535)
        try coder.size(&height, in: 0...65_535)
        try coder.number(&fourcc)
        try coder.size(&fpsNumerator, in: 0...Int(Int32.max))
        try coder.size(&fpsDenominator, in: 1...Int(Int32.max))
        // One more than V4L2's number, so that it is never negative.
        var place = input + 1
        try coder.size(&place, in: 0...65_536)
        input = place - 1
        try coder.number(&standard)
        try coder.field(&detectsStandard)
        try coder.optional(&timings)
    }
}

extension SignalTimings: BrokerField {
    package static var blank: SignalTimings { SignalTimings(width: 1, height: 1, isInterlaced: false, millihertz: 1) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.size(&width, in: 1...65_535)
        try coder.size(&height, in: 1...65_535)
        try coder.field(&isInterlaced)
        try coder.size(&millihertz, in: 0...Int(Int32.max))
    }
}

extension PCMSettings: BrokerField {
    package static var blank: PCMSettings { PCMSettings() }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.size(&rate, in: 1...16_777_216)
        try coder.size(&channels, in: 1...1024)
        try coder.choice(&format, among: [.s16, .s24, .s32, .float32, .s24Packed])
        try coder.size(&periodFrames, in: 0...16_777_216)
        try coder.size(&bufferFrames, in: 0...16_777_216)
        try coder.number(&periodTime)
        guard (0...1_000_000_000).contains(periodTime) else { throw .value }
    }
}

extension CameraFormat: BrokerField {
    package static var blank: CameraFormat {
        CameraFormat(width: 1, height: 1, fourcc: 0, layouts: [], fpsNumerator: 0, fpsDenominator: 1)
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.size(&width, in: 1...65_535)
        try coder.size(&height, in: 1...65_535)
        try coder.number(&fourcc)
        try coder.list(&layouts, most: 3)
        try coder.size(&fpsNumerator, in: 0...Int(Int32.max))
        try coder.size(&fpsDenominator, in: 1...Int(Int32.max))
        try coder.number(&colorspace)
        try coder.number(&ycbcrEncoding)
        try coder.number(&quantization)
        try coder.number(&transfer)
        try coder.number(&field)
        try coder.field(&isCompressed)
        try coder.size(&standardLines, in: 0...625)
        try coder.field(&isDigital)
        try coder.size(&aspectWidth, in: 0...Int(Int32.max))
        try coder.size(&aspectHeight, in: 0...Int(Int32.max))
    }
}

extension PlaneLayout: BrokerField {
    package static var blank: PlaneLayout { PlaneLayout(bytesPerLine: 0, sizeImage: 0) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.size(&bytesPerLine, in: 0...(1 << 24))
        try coder.size(&sizeImage, in: 0...(1 << 30))
    }
}

/// Open device of a stream, whose frames come through a ring in shared memory.
package struct LentDevice: BrokerField, Hashable, Sendable {
    /// Format that the device has taken.
    package enum Format: BrokerField, Hashable, Sendable {
        case video(CameraFormat)
        case audio(PCMSettings)

        package static var blank: Format { .video(.blank) }
        package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
            var (tag, camera, pcm) = (UInt8(0), CameraFormat.blank, PCMSettings())
            switch self {
            case .video(let format): (tag, camera) = (0, format)
            case .audio(let settings): (tag, pcm) = (1, settings)
            }
            try coder.tag(&tag, upTo: 1)
            self = tag == 0 ? .video(try coder.passed(camera)) : .audio(try coder.passed(pcm))
        }
    }

    /// Number of the stream on this connection.
    package var stream: UInt32 = 0
    /// Number of the decision that the capture rests on; `nil` for a rule of the administrator's.
    package var decision: Int64?
    package var format = Format.blank
    /// State of the signal at the device's input, or of the shutter at its lens.
    package var signal = SignalState.present
    /// Number of the ring's slots.
    package var slots = 2
    /// Payload bytes of a slot.
    package var slotBytes = 1

    package static var blank: LentDevice { LentDevice() }
    package init() {}
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&stream)
        try coder.optional(&decision)
        try coder.field(&format)
        try coder.choice(&signal, among: SignalState.allCases)
        try coder.size(&slots, in: 2...1024)
        try coder.size(&slotBytes, in: 1...(1 << 30))
    }
}

/// Report of a closed stream.
package struct StreamReport: BrokerField, Hashable, Sendable {
    package var stream: UInt32 = 0
    /// Frames that the program was given.
    package var frames: UInt64 = 0
    /// Bytes that the program was given.
    package var bytes: UInt64 = 0

    package static var blank: StreamReport { StreamReport() }
    package init() {}
    package init(_ stream: UInt32, frames: UInt64, bytes: UInt64) {
        self.stream = stream
        self.frames = frames
        self.bytes = bytes
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&stream)
        try coder.number(&frames)
        try coder.number(&bytes)
    }
}

/// The gate's end of a stream.
package struct StreamEnd: BrokerField, Hashable, Sendable {
    package var stream: UInt32 = 0
    package var reason = CaptureEndReason.revoked

    package static var blank: StreamEnd { StreamEnd() }
    package init() {}
    package init(_ stream: UInt32, _ reason: CaptureEndReason) {
        self.stream = stream
        self.reason = reason
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&stream)
        try coder.choice(&reason, among: [.revoked, .expired, .killed])
    }
}

/// The end of a stream's device.
package struct StreamLoss: BrokerField, Hashable, Sendable {
    package var stream: UInt32 = 0
    /// Reason in words; of the kind `deviceGone` where the device may come back.
    package var failure = BrokerFailure.blank

    package static var blank: StreamLoss { StreamLoss() }
    package init() {}
    package init(_ stream: UInt32, _ failure: BrokerFailure) {
        self.stream = stream
        self.failure = failure
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&stream)
        try coder.field(&failure)
    }
}
