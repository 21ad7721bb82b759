import Glibc

/// Sounds with known properties. They use the C library's sine and not the phasors of the measures.
enum TestSounds {
    /// A sine.
    static func sine(
        _ frequency: Double, amplitude: Double, rate: Double = 48_000, count: Int = 48_000, phase: Double = 0.3
    ) -> [Float] {
        (0..<count).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate + phase)) }
    }

    /// White noise of uniform numbers with an RMS value.
    static func noise(rms: Double, count: Int = 48_000, seed: Int) -> [Float] {
        var numbers = SeededGenerator(seed)
        let peak = rms * 3.0.squareRoot()
        return (0..<count).map { _ in Float(peak * numbers.number()) }
    }

    /// A sum of sines of random frequencies and phases, whose samples can be computed for any time: noise with a band.
    ///
    /// - Parameters:
    ///   - delay: samples by which it is late.
    ///   - highest: end of the band, in turns a sample.
    static func smoothNoise(seed: Int, count: Int, delay: Double, upTo highest: Double = 0.45) -> [Float] {
        var numbers = SeededGenerator(seed)
        var sum = [Double](repeating: 0, count: count)
        for _ in 0..<40 {
            let step = 2 * .pi * highest * abs(numbers.number())
            let phase = .pi * numbers.number() - step * delay
            // Each value of a sine follows from the two before it.
            let double = 2 * cos(step)
            var (last, value) = (sin(phase - step), sin(phase))
            for index in 0..<count {
                sum[index] += 0.05 * value
                (last, value) = (value, double * value - last)
            }
        }
        return sum.map { Float($0) }
    }

    static func sum(_ sounds: [Float]...) -> [Float] {
        sounds.dropFirst().reduce(sounds[0]) { zip($0, $1).map { $0 + $1 } }
    }

    /// The C library's functions of an angle in radians.
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }

    /// Amplitude of a level in decibels.
    static func amplitude(_ level: Double) -> Double { pow(10, level / 20) }
}
