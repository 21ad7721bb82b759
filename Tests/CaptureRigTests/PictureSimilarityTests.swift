import Testing

@testable import CaptureRig

/// Images with edges, texture and noise.
enum TestPictures {
    static func scene(width: Int = 96, height: Int = 64, seed: Int, noise: Int = 0, shift: Int = 0) -> LumaImage {
        var numbers = SeededGenerator(seed)
        let bytes = (0..<width * height).map { index in
            let (x, y) = (index % width + shift, index / width)
            let pattern = (x / 8 + y / 8) % 2 * 90 + (x * 193 + y * 389) % 1009 % 31
            return UInt8(clamping: 60 + pattern + Int(numbers.next() % UInt64(2 * noise + 1)) - noise)
        }
        return LumaImage(width: width, height: height, bytes: bytes)!
    }

    /// Means of 3 × 3 pixels.
    static func blurred(_ image: LumaImage, times: Int = 1) -> LumaImage {
        guard times > 0 else { return image }
        let (width, height) = (image.width, image.height)
        let bytes = (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            let near = (-1...1).flatMap { down in
                (-1...1).map { across in
                    Int(image.bytes[min(max(y + down, 0), height - 1) * width + min(max(x + across, 0), width - 1)])
                }
            }
            return UInt8(near.reduce(0, +) / 9)
        }
        return blurred(LumaImage(width: width, height: height, bytes: bytes)!, times: times - 1)
    }

    static func flat(_ value: UInt8, width: Int = 96, height: Int = 64) -> LumaImage {
        LumaImage(width: width, height: height, bytes: [UInt8](repeating: value, count: width * height))!
    }
}

@Suite("similarity of pictures")
struct PictureSimilarityTests {
    @Test("equal pictures have a similarity of exactly 1 and the largest ratio", arguments: 0..<50)
    func equal(_ seed: Int) {
        let scene = TestPictures.scene(seed: seed, noise: 40)
        #expect(PictureSimilarity.ssim(scene, scene) == 1)
        #expect(PictureSimilarity.psnr(scene, scene) == PictureSimilarity.equal)
    }

    @Test("the more a picture is blurred, the less alike it is")
    func ordered() throws {
        let scene = TestPictures.scene(seed: 3, noise: 5)
        let blurred = try (0...3).map { times in
            try #require(PictureSimilarity(scene, TestPictures.blurred(scene, times: times)))
        }
        #expect(blurred[0].ssim == 1)
        for (sharper, softer) in zip(blurred, blurred.dropFirst()) {
            #expect(sharper.ssim > softer.ssim + 0.01)
            #expect(sharper.psnr > softer.psnr)
        }
    }

    @Test("flat pictures differ by the formula's first factor alone")
    func flat() throws {
        let found = try #require(PictureSimilarity.ssim(TestPictures.flat(100), TestPictures.flat(120)))
        let constant = 6.5025
        #expect(abs(found - (2 * 100 * 120 + constant) / (100 * 100 + 120 * 120 + constant)) < 1e-12)
    }

    @Test("two windows of a known content have the similarity that the paper's formula gives")
    func known() throws {
        let numbers = (0..<64).map { $0 * 3 }
        let others = (0..<64).map { $0 * 37 % 64 * 2 + 20 }
        let one = try #require(LumaImage(width: 8, height: 8, bytes: numbers.map(UInt8.init)))
        let other = try #require(LumaImage(width: 8, height: 8, bytes: others.map(UInt8.init)))
        let means = (Double(numbers.reduce(0, +)) / 64, Double(others.reduce(0, +)) / 64)
        let variance = numbers.reduce(0) { $0 + (Double($1) - means.0) * (Double($1) - means.0) } / 63
        let otherVariance = others.reduce(0) { $0 + (Double($1) - means.1) * (Double($1) - means.1) } / 63
        let pairs = zip(numbers, others)
        let covariance = pairs.reduce(0) { $0 + (Double($1.0) - means.0) * (Double($1.1) - means.1) } / 63
        let expected =
            (2 * means.0 * means.1 + 6.5025) * (2 * covariance + 58.5225)
            / ((means.0 * means.0 + means.1 * means.1 + 6.5025) * (variance + otherVariance + 58.5225))
        #expect(abs(try #require(PictureSimilarity.ssim(one, other)) - expected) < 1e-12)
    }

    @Test("the ratio of a known error is exact")
    func ratio() throws {
        // One step everywhere is 20·log₁₀ 255; one pixel of 6,144 off by 10 is a mean square of 100/6144.
        let steps = try #require(PictureSimilarity.psnr(TestPictures.flat(50), TestPictures.flat(51)))
        #expect(abs(steps - 48.130803608679104) < 1e-9)
        var bytes = TestPictures.flat(50).bytes
        bytes[77] = 60
        let image = try #require(LumaImage(width: 96, height: 64, bytes: bytes))
        let pixel = try #require(PictureSimilarity.psnr(TestPictures.flat(50), image))
        #expect(abs(pixel - (48.130803608679104 - 20 + 37.88451207023456)) < 1e-9)
    }

    @Test("pictures of other sizes, or too small ones, have none")
    func sizes() {
        #expect(PictureSimilarity(TestPictures.flat(1), TestPictures.flat(1, width: 95)) == nil)
        let small = TestPictures.flat(1, width: 7, height: 9)
        #expect(PictureSimilarity(small, small) == nil)
        #expect(PictureSimilarity.measures(of: nil).allSatisfy { $0.value == nil && $0.verdict == .error })
        #expect(TestPictures.flat(1, width: 2, height: 9).sharpness == nil)
        #expect(LumaImage.sharpnessMeasure(of: nil).value == nil)
    }

    @Test("sharpness falls with each blur, is 0 for a flat picture, and that of a single dot is known")
    func sharpness() throws {
        let scene = TestPictures.scene(seed: 3)
        let values = (0...3).map { TestPictures.blurred(scene, times: $0).sharpness ?? 0 }
        for (sharper, softer) in zip(values, values.dropFirst()) { #expect(softer < 0.8 * sharper) }
        #expect(TestPictures.flat(9).sharpness == 0)
        // A dot of 10 is 40 at its pixel and −10 at four: 2,000 over the 9 pixels within the margin.
        let dot = (0..<25).map { UInt8($0 == 12 ? 10 : 0) }
        let image = try #require(LumaImage(width: 5, height: 5, bytes: dot))
        #expect(abs(try #require(image.sharpness) - 2000 / 9.0) < 1e-9)
    }
}
