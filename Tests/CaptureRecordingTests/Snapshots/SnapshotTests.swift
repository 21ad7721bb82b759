import CaptureGate
import Glibc
import Testing

@testable import CaptureRecording

@Suite("Snapshots")
struct SnapshotTests {
    private let period: Int64 = 33_333_333

    /// Numbers of the frames that are taken from a camera with this brightness.
    private func taken(_ means: [Double?], patience: Int64 = 3_000_000_000, interval: Int64 = 0) throws -> [Int] {
        var clock = SnapshotSchedule(patience: patience, interval: interval)
        var taken: [Int] = []
        for (number, mean) in means.enumerated() {
            let time = 5_000_000_000 + Int64(number) * period
            guard case .take = try clock.judge(time, { mean }) else { continue }
            clock.kept(time)
            taken.append(number)
        }
        return taken
    }

    @Test("The first is taken when five in turn are the same within 2 %")
    func settling() throws {
        #expect(try taken([0.5, 0.5, 0.5, 0.5, 0.505]).first == 4)
        #expect(try taken([0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5]).first == 8)
        #expect(try taken([0.5, 0.5, 0.5, 0.5, 0.511, 0.5, 0.5, 0.5, 0.5, 0.5]).first == 9)
    }

    @Test("In the dark one step of 255 is no change")
    func dark() throws {
        #expect(try taken([0, 0.0035, 0, 0.0035, 0]).first == 4)
    }

    @Test("Broken pictures don't count")
    func broken() throws {
        #expect(try taken([0.5, nil, 0.5, nil, 0.5, 0.5, nil, 0.5]).first == 7)
    }

    @Test("A camera that sends broken pictures alone for three seconds ends the series")
    func brokenAlone() throws {
        var trouble = BrokenFrameLimit()
        let second: Int64 = 1_000_000_000
        for (time, isBroken) in [(0, true), (2, true), (3, false), (4, true), (6, true)] {
            try trouble.note(isBroken, at: Int64(time) * second, of: "Webcam")
        }
        let error = #expect(throws: CaptureError.self) { try trouble.note(true, at: 7 * second, of: "Webcam") }
        #expect(error?.kind == .inputOutput && error?.remedies.isEmpty == false)
    }

    @Test("A picture that never settles is taken when the patience is over, and says so")
    func patience() throws {
        let flicker = (0..<200).map { $0 % 2 == 0 ? 0.2 : 0.8 }
        #expect(try taken(flicker).first == 91)
        var clock = SnapshotSchedule(patience: 1, interval: 0)
        #expect(try clock.judge(0) { 0.5 } == .skip)
        #expect(try clock.judge(10) { 0.1 } == .take(isSettled: false, waited: 10))
    }

    @Test("Without patience the first is taken, and its brightness is not looked at")
    func atOnce() throws {
        var clock = SnapshotSchedule(patience: 0, interval: 0)
        let verdict = try clock.judge(7) {
            Issue.record("it was looked at")
            return nil
        }
        #expect(verdict == .take(isSettled: false, waited: 0))
    }

    @Test("In an interval each is due on the grid of the first, however late one was")
    func interval() throws {
        let still = Array(repeating: Double?.some(0.5), count: 40)
        #expect(try taken(still, patience: 0, interval: 10 * period) == [0, 10, 20, 30])
        var clock = SnapshotSchedule(patience: 0, interval: 100)
        clock.kept(1000)
        clock.kept(1135)
        #expect(try clock.judge(1199) { 0 } == .skip)
        #expect(try clock.judge(1200) { 0 } != .skip)
    }

    // MARK: Files

    private func folder() throws -> String {
        var template = Array("/tmp/capturegate-snapshots.XXXXXX".utf8CString)
        return try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    @Test("Several pictures get numbers of the same width before the ending")
    func names() throws {
        let folder = try folder()
        let files = try SnapshotFiles(.file(path: folder + "/shot.jpg"), count: 10)
        #expect(try files.store([1], number: 1) == folder + "/shot-01.jpg")
        #expect(try files.store([2], number: 10) == folder + "/shot-10.jpg")
    }

    @Test("A point in a folder's name is no ending")
    func folders() throws {
        let error = #expect(throws: CaptureError.self) { try SnapshotFiles(.file(path: "/tmp/a.jpg/shot")) }
        #expect(error?.kind == .usage)
    }

    @Test("One that is in the way is told before anything is made")
    func inTheWay() throws {
        let folder = try folder()
        close(open(folder + "/shot-2.png", O_WRONLY | O_CREAT, 0o600))
        let error = #expect(throws: CaptureError.self) {
            try SnapshotFiles(.file(path: folder + "/shot.png"), count: 3)
        }
        #expect(error?.kind == .fileExists && error?.message.contains("shot-2.png") == true)
        #expect(access(folder + "/shot-1.png.partial", F_OK) != 0)
        let forced = try SnapshotFiles(.file(path: folder + "/shot.png"), count: 3, replacing: true)
        #expect(try forced.store([1], number: 1) == folder + "/shot-1.png")
    }

    @Test("What was made for pictures that never came is taken away")
    func discarded() throws {
        let folder = try folder()
        let files = try SnapshotFiles(.file(path: folder + "/shot.png"))
        #expect(access(folder + "/shot.png.partial", F_OK) == 0)
        files.discard()
        #expect(access(folder + "/shot.png.partial", F_OK) != 0)
    }

    @Test("Standard output takes one picture, of a format that is said")
    func standardOutput() throws {
        #expect(throws: CaptureError.self) { try SnapshotFiles(.standardOutput) }
        #expect(throws: CaptureError.self) { try SnapshotFiles(.standardOutput, format: .png, count: 2) }
        #expect(try SnapshotFiles(.standardOutput, format: .png).format == .png)
    }
}
