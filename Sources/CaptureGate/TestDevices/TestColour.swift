/// A colour of ``TestBarsFrame`` in BT.601, limited range.
struct TestBarsColour: BitwiseCopyable, Sendable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    @_noLocks @_noAllocation
    init(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) {
        self.y = y
        self.cb = cb
        self.cr = cr
    }

    /// Two pixels as Y0 Cb Y1 Cr, the first byte lowest.
    var pair: UInt32 {
        @_noLocks @_noAllocation get {
            let luma = UInt32(y) &* 0x0001_0001
            let chroma = UInt32(cb) &* 0x0000_0100 &+ UInt32(cr) &* 0x0100_0000
            return luma &+ chroma
        }
    }

    static var black: TestBarsColour {
        @_noLocks @_noAllocation get { TestBarsColour(16, 128, 128) }
    }
    static var white: TestBarsColour {
        @_noLocks @_noAllocation get { TestBarsColour(235, 128, 128) }
    }

    /// The bars at 75 %, from left to right: grey, yellow, cyan, green, magenta, red, blue.
    @_noLocks @_noAllocation
    static func bar(_ index: Int) -> TestBarsColour {
        switch index {
        case 0: TestBarsColour(180, 128, 128)
        case 1: TestBarsColour(162, 44, 142)
        case 2: TestBarsColour(131, 156, 44)
        case 3: TestBarsColour(112, 72, 58)
        case 4: TestBarsColour(84, 184, 198)
        case 5: TestBarsColour(65, 100, 212)
        default: TestBarsColour(35, 212, 114)
        }
    }

    /// Below the bars, the blue parts in reverse, which shows whether hue and saturation are right.
    @_noLocks @_noAllocation
    static func castellation(_ index: Int) -> TestBarsColour {
        index % 2 == 1 ? black : index == 6 ? bar(0) : bar(6 &- index)
    }
}
