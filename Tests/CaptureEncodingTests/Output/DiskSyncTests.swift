import CaptureBase
import ClipScenery
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import CaptureEncoding

/// The limit counts the wait for a thread as well, which hundreds of tests that encode share with these.
///
/// Example of a failure that these find: a power cut after 20 s leaves a file of no bytes.
@Suite("Storing while recording", .timeLimit(.minutes(10)))
struct DiskSyncTests {
    private static let interval = DiskSync.interval

    /// A file that is open, and what stores it.
    private final class Scene: Sendable {
        let scratch: Scratch
        let file: PartialFile
        let sync: DiskSync
        let count: Counter

        /// - Parameter store: what storing gives.
        init(_ store: @escaping @Sendable () -> Void = {}) throws {
            scratch = try Scratch()
            let count = Counter()
            var steps = OutputSteps()
            steps.store = { _ in
                count.add()
                store()
            }
            file = try PartialFile(opening: scratch.path("a.raw.partial"), over: .recording, steps: steps)
            sync = DiskSync(file)
            self.count = count
        }

        func write(_ length: Int64) -> CaptureError? {
            ftruncate(file.descriptor.number, off_t(length))
            return sync.note(length)
        }
    }

    private final class Counter: Sendable {
        private let number = Locked(0)
        func add() { number.withLock { $0 += 1 } }
        var value: Int { number.withLock { $0 } }
    }

    @Test("stores what is new at once, then once an interval, and nothing where nothing is new")
    func schedule() throws {
        let scene = try Scene()
        #expect(scene.sync.look(at: 0) != nil && scene.count.value == 0)
        #expect(scene.write(10) == nil)
        #expect(scene.sync.look(at: 1) == Self.interval && scene.count.value == 1)
        #expect(scene.write(20) == nil)
        #expect(scene.sync.look(at: Self.interval) != nil && scene.count.value == 1)
        #expect(scene.sync.look(at: Self.interval + 1) == Self.interval && scene.count.value == 2)
        #expect(scene.sync.look(at: 5 * Self.interval) == DiskSync.pause && scene.count.value == 2)
        #expect(Self.interval <= 1_000_000_000)
        scene.sync.close()
        #expect(scene.sync.look(at: 9 * Self.interval) == nil)
    }

    @Test("a disk that takes its time holds neither the writer nor who gives up, and the end waits for it")
    func slow() throws {
        let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let scene = try Scene {
            begun.signal()
            released.wait()
        }
        #expect(scene.write(10) == nil)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = scene.sync.look(at: 0)
            ended.signal()
        }
        begun.wait()
        // Each of these would never return if it waited.
        for length in 11..<1000 { #expect(scene.write(Int64(length)) == nil) }
        scene.sync.noteCut(to: 500)
        scene.sync.stop()
        #expect(scene.count.value == 1)
        Thread.detachNewThread { released.signal() }
        #expect(scene.sync.wait() == nil)
        ended.wait()
        scene.sync.close()
        #expect(fcntl(scene.file.descriptor.number, F_GETFD) == -1)
    }

    @Test("given up while the disk is busy, the file is closed once it is not")
    func closed() throws {
        let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let scene = try Scene {
            begun.signal()
            released.wait()
        }
        #expect(scene.write(10) == nil)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = scene.sync.look(at: 0)
            ended.signal()
        }
        begun.wait()
        scene.sync.close()
        let other = try FileDescriptor(opening: scene.file.path, .readWrite)
        #expect(throws: Errno.wouldBlock) { try FileLock.take(other, tries: 0) {} }
        released.signal()
        ended.wait()
        try FileLock.take(other, tries: 0) {}
    }

    @Test(
        "what can't be stored ends the recording, and what there is keeps its partial name",
        arguments: [Errno.ioError, .noSpace])
    func failure(code: Errno) throws {
        // After the file its directory is stored: a disk may never get to that while there is new data each microsecond.
        let scratch = try Scratch(inMemory: true)
        let path = scratch.path("a.raw")
        let asked = DispatchSemaphore(value: 0)
        var steps = OutputSteps()
        steps.store = { (_) throws(Errno) in
            asked.signal()
            throw code
        }
        var output = try ClipOutput(opening: .file(path: path), replacing: false, over: .recording, steps: steps)
        try output.write([1])
        asked.wait()
        var told: CaptureError?
        while told == nil {
            do throws(CaptureError) { try output.write([1]) } catch { told = error }
        }
        #expect(told?.errno == code.number)
        #expect(told?.kind == (code == .ioError ? .inputOutput : .diskFull))
        let error = try #require(throws: CaptureError.self) { try output.finish() }
        #expect(error.errno == code.number)
        #expect(scratch.names == ["a.raw.partial"])
    }

    @Test("the writer's own shortening is no other program's")
    func ownCut() throws {
        let scene = try Scene()
        #expect(scene.write(10) == nil)
        scene.sync.noteCut(to: 4)
        ftruncate(scene.file.descriptor.number, 4)
        _ = scene.sync.look(at: 0)
        #expect(scene.sync.note(4) == nil)
    }

    @Test("a file that is cut or removed by another program is noticed while nothing is written")
    func noticed() throws {
        for harm in ["cut", "removed"] {
            let scene = try Scene()
            #expect(scene.write(10) == nil)
            _ = scene.sync.look(at: 0)
            if harm == "cut" { truncate(scene.file.path, 9) } else { unlink(scene.file.path) }
            _ = scene.sync.look(at: Self.interval)
            #expect(scene.sync.note(10)?.message.contains("was \(harm)") == true)
        }
    }
}
