import Testing

@testable import CaptureRig

@Suite("spectrum of a sound")
struct SoundSpectrumTests {
    @Test("decibels are those of powers and amplitudes, and silence has a number")
    func decibels() {
        #expect(Decibel.power(100) == 20)
        #expect(Decibel.amplitude(0.1) == -20)
        #expect(abs(Decibel.fullScale(meanSquare: 0.5)) < 1e-12)
        #expect(Decibel.power(0) == Decibel.silence)
        #expect(Decibel.power(-1) == Decibel.silence)
        #expect(Decibel.power(.infinity) == 200)
        #expect(Decibel.power(.nan).isNaN)
    }

    @Test("the fast transform is the transform by its definition", arguments: [2, 4, 8, 64, 128])
    func definition(_ count: Int) {
        var numbers = SeededGenerator(count)
        let input = (0..<count).map { _ in (numbers.number(), numbers.number()) }
        var (real, imaginary) = (input.map(\.0), input.map(\.1))
        FourierTransform(least: count).transform(&real, &imaginary)
        for bin in 0..<count {
            var (sum, other) = (0.0, 0.0)
            for (index, value) in input.enumerated() {
                let angle = 2 * Double.pi * Double(bin * index % count) / Double(count)
                let (cosine, sine) = (TestSounds.cosine(angle), TestSounds.sine(angle))
                sum += value.0 * cosine + value.1 * sine
                other += value.1 * cosine - value.0 * sine
            }
            #expect(abs(real[bin] - sum) < 1e-12 && abs(imaginary[bin] - other) < 1e-12)
        }
    }

    @Test("the transform of real samples is that of complex ones without imaginary parts", arguments: [4, 16, 256])
    func real(_ count: Int) {
        var numbers = SeededGenerator(count)
        let samples = (0..<count - 1).map { _ in numbers.number() }
        let transform = FourierTransform(least: count)
        var (real, imaginary) = (samples + [0], [Double](repeating: 0, count: count))
        transform.transform(&real, &imaginary)
        let squares = transform.squares(of: samples)
        #expect(squares.count == count / 2 + 1)
        for (bin, square) in squares.enumerated() {
            #expect(abs(square - real[bin] * real[bin] - imaginary[bin] * imaginary[bin]) < 1e-10)
        }
    }

    @Test("back and forth gives the values times their number")
    func inverse() {
        var numbers = SeededGenerator(9)
        let values = (0..<64).map { _ in numbers.number() }
        var (real, imaginary) = (values, [Double](repeating: 0, count: 64))
        let transform = FourierTransform(least: 64)
        transform.transform(&real, &imaginary)
        transform.transform(&imaginary, &real)
        for index in values.indices { #expect(abs(real[index] / 64 - values[index]) < 1e-12) }
    }

    @Test(
        "a single sine is found between any two bins, to a hundredth of a bin and 0.1 dB",
        arguments: [1000, 1001.7, 1003.4, 1005.1, 1006.8, 1008.5, 1010.2, 1011.9])
    func interpolated(_ frequency: Double) throws {
        let sound = TestSounds.sine(frequency, amplitude: 0.5, count: 4096)
        let spectrum = try #require(SoundSpectrum(sound, rate: 48_000))
        let peak = try #require(spectrum.peak(in: 20...20_000))
        #expect(abs(peak.frequency - frequency) < spectrum.binWidth * 0.02)
        #expect(abs(peak.level - -6.0206) < 0.1)
        // The side lobes of this window are 92 dB below.
        let far = spectrum.power.indices.filter { abs(Double($0) * spectrum.binWidth - frequency) > spectrum.leakage }
        #expect(far.allSatisfy { Decibel.fullScale(meanSquare: spectrum.power[$0]) < -6 - 91.5 })
    }

    @Test("the share of white noise in a band is the band's share of all")
    func share() throws {
        let noise = TestSounds.noise(rms: 0.1, count: 32_768, seed: 4)
        let spectrum = try #require(SoundSpectrum(noise, rate: 48_000, longest: 4096))
        #expect(abs(spectrum.share(of: 0...12_000) - 0.5) < 0.02)
        #expect(abs(spectrum.share(of: 0...24_000) - 1) < 1e-9)
    }

    @Test("a plot keeps a narrow spur, its frequencies rise, and it has 2,000 points at most")
    func plot() throws {
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.5, count: 32_768),
            TestSounds.sine(15_000, amplitude: 0.0005, count: 32_768))
        let series = try #require(SoundSpectrum(sound, rate: 48_000)).series(limits: [-40])
        #expect(series.points.count <= 2000 && series.points.count > 1000)
        #expect(zip(series.points, series.points.dropFirst()).allSatisfy { $0.x < $1.x })
        #expect(series.points.contains { abs($0.x - 15_000) < 3 && abs($0.y - -66) < 1 })
        #expect(series.points.allSatisfy { $0.x.isFinite && $0.y.isFinite })
    }

    @Test("what is no sound has no spectrum, and silence has one without a peak")
    func nothing() throws {
        #expect(SoundSpectrum([], rate: 48_000) == nil)
        #expect(SoundSpectrum([1], rate: 48_000) == nil)
        for rate in [0, -1, .nan, .infinity, 1e300] {
            #expect(SoundSpectrum([Float](repeating: 0, count: 99), rate: rate) == nil)
        }
        #expect(SoundSpectrum([Float](repeating: .nan, count: 99), rate: 48_000) == nil)
        let silence = try #require(SoundSpectrum([Float](repeating: 0, count: 99), rate: 48_000))
        #expect(silence.peak(in: 20...20_000) == nil)
        #expect(silence.share(of: 0...100) == 0)
        #expect(silence.series().points.allSatisfy { $0.y == Decibel.silence })
        #expect(silence.peak(in: 1e6...1e9) == nil)
    }
}
