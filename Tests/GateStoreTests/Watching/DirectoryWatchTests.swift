import Dispatch
import Gate
import LinuxSystem
import Testing

@testable import GateStore

@Suite("directory watch")
struct DirectoryWatchTests {
    let folder: TemporaryFolder
    let changed = Signal()
    let queue = DispatchQueue(label: "test")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Changes in the folder are told, changes beside it are not", .timeLimit(.minutes(10)))
    func inside() async throws {
        try makeFolder(folder.path + "/watched")
        let table = try #require(InotifyTable(for: folder.path + "/watched"))
        try folder.write("", to: "beside")
        // An event exists when the call that causes it returns: these are all of the file beside, and concern nobody.
        #expect(Poll.wait(for: table.descriptor, milliseconds: 0) == .input)
        #expect(!table.drain())
        let watch = DirectoryWatch(on: queue, table) { changed.send() }
        try folder.write("", to: "watched/a")
        await changed.wait()
        withExtendedLifetime(watch) {}
    }

    @Test("An announcement is told, and nothing is written for it", .timeLimit(.minutes(10)))
    func announcement() async throws {
        try folder.write("as it was", to: "audit.head")
        let before = try FileStatus.of(folder.path + "/audit.head").get()
        let watch = DirectoryWatch(folder.path, on: queue) { changed.send() }
        AuditHeadFile(path: folder.path + "/audit.head").announce()
        await changed.wait()
        #expect(try FileStatus.of(folder.path + "/audit.head").get() == before)
        withExtendedLifetime(watch) {}
    }

    @Test("A folder deep below what exists is found as it grows, name by name", .timeLimit(.minutes(10)))
    func growing() async throws {
        let deep = folder.path + "/a/b/c"
        let watch = DirectoryWatch(deep, on: queue) { changed.send() }
        for path in ["/a", "/a/b", "/a/b/c"] {
            try makeFolder(folder.path + path)
            await changed.wait()
        }
        try folder.write("", to: "a/b/c/file")
        await changed.wait()
        try rename(folder.path + "/a/b", to: folder.path + "/a/old")
        await changed.wait()
        try makeFolder(deep)
        await changed.wait()
        try folder.write("", to: "a/b/c/file")
        await changed.wait()
        withExtendedLifetime(watch) {}
    }

    @Test("Without inotify it looks again and again", .timeLimit(.minutes(10)))
    func withoutInotify() async {
        let watch = DirectoryWatch(on: queue, nil) { changed.send() }
        for _ in 0..<2 { await changed.wait() }
        withExtendedLifetime(watch) {}
    }

    @Test("A hundred stores, watches and policies leave no descriptor behind")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let before = try openDescriptors()
            for _ in 0..<100 {
                let store = try SQLiteGrantStore(directory: folder.path + "/state")
                let policy = PolicyDirectory(path: folder.path)
                let observations = [store.observeChanges {}, policy.observeChanges {}]
                try store.append(Samples.event())
                withExtendedLifetime(observations) {}
            }
            // A watch closes its descriptor on its own queue; one that leaks never ends here. The check that ends the wait counts:
            // watches that are still to close continue to open what changed.
            var left = try openDescriptors()
            for _ in 0..<60_000 where left > before + 5 {
                Poll.pause(milliseconds: 1)
                left = try openDescriptors()
            }
            #expect(left <= before + 5)
        }
    }
}
