import CaptureBase
import LinuxSystem

/// Conversion of a recording's audio between its microphones and its file: channels, gain, sample rate, mix.
///
/// It works on the aligned audio of the clip, so it shifts nothing. Samples keep the device's sample format, rounded to the
/// nearest once, at the end; integers saturate at full scale, and floating point keeps larger values.
///
/// *thread-safe*
public struct AudioConversion: Hashable, Sendable {
    /// Channels of each microphone that the clip is to have.
    public var channels: ChannelSelection
    /// Amplification in dB, -120 to 60; 0 changes nothing.
    public var gain: Double
    /// Sample rate of the clip in Hz, 1000 to 768000; `nil` for that of the device.
    public var sampleRate: Int?
    /// Mixes all microphones to one track, in the format of the first. Each of N has the weight 1/N, so that their sum does
    /// not clip.
    public var mixesMicrophones: Bool

    /// The defaults change no bit.
    /// - Parameters:
    ///   - channels: of each microphone.
    ///   - gain: dB, -120 to 60.
    ///   - sampleRate: Hz.
    ///   - mixesMicrophones: true for one track of all microphones.
    public init(
        channels: ChannelSelection = .all, gain: Double = 0, sampleRate: Int? = nil, mixesMicrophones: Bool = false
    ) {
        self.channels = channels
        self.gain = gain
        self.sampleRate = sampleRate
        self.mixesMicrophones = mixesMicrophones
    }

    /// Checks what can be checked before a device's format is known.
    /// - Throws: `.usage`, with a remedy.
    public func check() throws(CaptureError) {
        guard (-120.0...60).contains(gain) else {
            throw CaptureError(
                .usage, "A gain of \(gain) dB is out of range.", remedies: [Remedy("Choose -120 to 60 dB.")])
        }
        if let sampleRate, !(1000...768_000).contains(sampleRate) {
            throw CaptureError(
                .usage, "Audio can't be converted to \(sampleRate) Hz.", remedies: [Remedy("Choose 1000 to 768000 Hz.")]
            )
        }
        guard case .list(let numbers) = channels else { return }
        guard (1...255).contains(numbers.count), numbers.allSatisfy({ $0 >= 1 }) else {
            throw CaptureError(
                .usage, "Channel numbers are 1 to 255.",
                remedies: [Remedy("Choose channels by their numbers, such as 1 and 3.")])
        }
    }

    /// Format of a microphone's audio after the conversion, the mix aside.
    /// - Throws: `.usage` if the microphone does not have a channel that is chosen, with a remedy.
    func format(of track: ClipTrack, _ format: AudioFormat) throws(CaptureError) -> AudioFormat {
        AudioFormat(
            sampleRate: sampleRate ?? format.sampleRate,
            channels: try channels.inputs(of: track, format.channels).count, sampleFormat: format.sampleFormat)
    }

    /// Channels that a microphone must have at least, where those are more than the usual two; `nil` if it does not matter.
    package var leastChannels: Int? {
        guard case .list(let numbers) = channels, let highest = numbers.max(), highest > 2 else { return nil }
        return highest
    }

    /// Factor by which samples are multiplied.
    var factor: Double { power(10, gain / 20) }
}

/// Choice among the channels of a microphone.
///
/// *thread-safe*
public enum ChannelSelection: Hashable, Sendable {
    /// All channels, as the device delivers them.
    case all
    /// One channel: the mean of all.
    case mono
    /// Channels by their numbers, 1 upwards, in that order.
    case list([Int])

    /// The first channel.
    public static let left = ChannelSelection.list([1])
    /// The second channel.
    public static let right = ChannelSelection.list([2])

    /// Channels of the device, 0 upwards, whose mean each channel of the clip is.
    /// - Throws: `.usage` if the device has not as many.
    func inputs(of track: ClipTrack, _ count: Int) throws(CaptureError) -> [[Int]] {
        switch self {
        case .all: return (0..<count).map { [$0] }
        case .mono: return [Array(0..<count)]
        case .list(let numbers):
            if let number = numbers.first(where: { !(1...max(count, 1)).contains($0) }) {
                let has = count == 1 ? "1 channel" : "\(count) channels"
                let choice = count == 1 ? "Choose channel 1." : "Choose from 1 to \(count)."
                throw CaptureError(
                    .usage, "\(track.name) has \(has), but no channel \(number).", remedies: [Remedy(choice)])
            }
            return numbers.map { [$0 - 1] }
        }
    }
}

extension AudioConversion {
    /// Opens a writer for converted tracks, and puts a converter before it; if nothing is converted, returns that writer, and
    /// every bit passes.
    /// - Parameters:
    ///   - tracks: tracks of the capture.
    ///   - own: conversions of single microphones in place of this one, by the track's device; this one decides whether all are
    ///     mixed.
    ///   - open: opens the writer of the tracks that it is given.
    /// - Throws: `.usage` for a conversion that the microphones' formats do not allow, with a remedy; as `open`.
    package func writer(
        for tracks: [ClipTrack], own: [String: AudioConversion] = [:],
        opening open: ([ClipTrack]) throws(CaptureError) -> any ClipWriter
    ) throws(CaptureError) -> any ClipWriter {
        try check()
        for conversion in own.values { try conversion.check() }
        let microphones = tracks.filter { $0.kind == .audio }
        let first = microphones.first.flatMap { own[$0.device] } ?? self
        let mixed = mixesMicrophones ? try first.mixed(microphones) : nil
        var plan = ConversionPlan(self, own: own, mix: mixed, of: microphones.count)
        for track in tracks { try plan.add(track) }
        let inner = try open(plan.stored)
        return plan.isIdentity
            ? inner : AudioConversionWriter(tracks, routes: plan.routes, mix: plan.mix, to: inner)
    }

    /// Track of all microphones, in the format of the first one's converted audio; `nil` if there is nothing to mix.
    private func mixed(_ microphones: [ClipTrack]) throws(CaptureError) -> ClipTrack? {
        guard microphones.count > 1, let first = microphones[0].audio else { return nil }
        let format = try format(of: microphones[0], first)
        return ClipTrack(
            .audio(format), name: microphones.map(\.name).joined(separator: " + "),
            device: microphones.map(\.device).joined(separator: "+"))
    }
}

/// Tracks of the file, and the way of each track of the capture into it.
private struct ConversionPlan {
    private let common: AudioConversion
    /// Conversions of single microphones, by device.
    private let own: [String: AudioConversion]
    /// Track of the mix, and its number of microphones.
    private let mixed: ClipTrack?
    private let microphones: Int
    private(set) var stored: [ClipTrack] = []
    private(set) var routes: [AudioRoute] = []
    private(set) var mix: MixedTrack?
    /// Microphones in the mix so far.
    private var count = 0

    init(
        _ common: AudioConversion, own: [String: AudioConversion], mix mixed: ClipTrack?, of microphones: Int
    ) {
        (self.common, self.own, self.mixed, self.microphones) = (common, own, mixed, microphones)
    }

    /// True if no bit is changed.
    var isIdentity: Bool {
        routes.allSatisfy { if case .none = $0.conversion { true } else { false } }
    }

    mutating func add(_ track: ClipTrack) throws(CaptureError) {
        guard let source = track.audio else { return pass(track) }
        let conversion = own[track.device] ?? common
        let inputs = try conversion.channels.inputs(of: track, source.channels)
        if let mixed, let target = mixed.audio {
            let chain = AudioChain(
                from: source, to: target, inputs: try Self.fit(inputs, to: target.channels, of: track),
                factor: conversion.factor / Double(microphones))
            return mix(chain, as: mixed, target)
        }
        let target = try conversion.format(of: track, source)
        if target == source, conversion.gain == 0, inputs == (0..<source.channels).map({ [$0] }) { return pass(track) }
        let chain = AudioChain(from: source, to: target, inputs: inputs, factor: conversion.factor)
        let output = ConvertedTrack(stored.count, target)
        routes.append(AudioRoute(stored: stored.count, conversion: .convert(chain, output)))
        stored.append(ClipTrack(.audio(target), name: track.name, device: track.device))
    }

    private mutating func pass(_ track: ClipTrack) {
        routes.append(AudioRoute(stored: stored.count, conversion: .none))
        stored.append(track)
    }

    /// Adds a microphone to the mix, which takes the place of the first one.
    private mutating func mix(_ chain: AudioChain, as track: ClipTrack, _ format: AudioFormat) {
        let mix = mix ?? MixedTrack(stored.count, format, microphones: microphones)
        if self.mix == nil { stored.append(track) }
        self.mix = mix
        routes.append(AudioRoute(stored: mix.index, conversion: .convert(chain, mix.input(count))))
        count += 1
    }

    /// Spreads one channel over all of the mix, or takes the mean of all for a mix of one.
    private static func fit(_ inputs: [[Int]], to channels: Int, of track: ClipTrack) throws(CaptureError) -> [[Int]] {
        if inputs.count == channels { return inputs }
        if inputs.count == 1 { return Array(repeating: inputs[0], count: channels) }
        if channels == 1 { return [inputs.flatMap(\.self)] }
        throw CaptureError(
            .usage, "\(track.name) has \(inputs.count) channels, but the mix has \(channels).",
            remedies: [Remedy("Choose the same number of channels for each microphone, such as mono.")])
    }
}
