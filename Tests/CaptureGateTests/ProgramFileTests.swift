import Gate
import Glibc
import Testing

@testable import CaptureGate

@Suite("Program files")
struct ProgramFileTests {
    let path: String
    /// Long after whatever the test writes.
    let later = SystemGateClock().now.wallNanoseconds + 3_600_000_000_000

    init() throws {
        path = try TemporaryFolder.make() + "/program"
        write("first")
    }

    @Test("One that did not change since it was known is not read again")
    func unchanged() throws {
        let read = try ProgramFile.read(opening: path, named: "program", [], now: later)
        #expect(read.sha256 == "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e")
        let known = Executable(path: "program", inode: read.inode, sha256: "remembered", stamp: read.stamp)
        #expect(try ProgramFile.read(opening: path, named: "program", [known], now: later).sha256 == "remembered")
    }

    @Test("One of the same size and the same time of change by touch(1) is read again")
    func changed() throws {
        let first = try ProgramFile.read(opening: path, named: "program", [], now: later)
        let known = Executable(path: "program", inode: first.inode, sha256: "remembered", stamp: first.stamp)
        let before = status
        // Until the clock of the file system has ticked.
        repeat {
            write("other")
            var times = [before.st_atim, before.st_mtim]
            #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        } while status.st_ctim.tv_sec == before.st_ctim.tv_sec && status.st_ctim.tv_nsec == before.st_ctim.tv_nsec
        #expect(status.st_mtim.tv_nsec == before.st_mtim.tv_nsec && status.st_size == before.st_size)
        let second = try ProgramFile.read(opening: path, named: "program", [known], now: later)
        #expect(second.inode == first.inode && second.sha256 != "remembered" && second.sha256 != first.sha256)
    }

    @Test("One that was changed just now is not relied on: it could change again under the same times")
    func young() throws {
        let now = SystemGateClock().now.wallNanoseconds
        let known = try ProgramFile.read(opening: path, named: "program", [], now: later)
        let remembered = Executable(path: "program", inode: known.inode, sha256: "remembered", stamp: known.stamp)
        let read = try ProgramFile.read(opening: path, named: "program", [remembered], now: now)
        #expect(read.stamp == nil && read.sha256 == known.sha256)
    }

    @Test("One that is known without a stamp, as older stores have it, is read")
    func withoutStamp() throws {
        let known = Executable(path: "program", inode: 1, sha256: "remembered")
        let read = try ProgramFile.read(opening: path, named: "program", [known], now: 0)
        #expect(read.stamp == nil && read.sha256 != "remembered")
    }

    @Test("Of the system's programs it is told that root alone can change them, and of nobody else's")
    func ofRootAlone() throws {
        let system = try ProcessSubject.executable(at: "/usr/bin/env")
        #expect(system.isOfRootAlone)
        // Root's, in a directory of root below one that anybody may write.
        #expect(try !ProgramFile.read(opening: path, named: path, [], now: later).isOfRootAlone)
        // The process's file of this name is not the one that is here.
        #expect(try !ProgramFile.read(opening: path, named: "/usr/bin/env", [], now: later).isOfRootAlone)
        #expect(try !ProgramFile.read(opening: "/usr/bin/env", named: "usr/bin/env", [], now: later).isOfRootAlone)
        // The bytes count as before for a caller that already knows the file.
        let again = try ProgramFile.read(opening: "/usr/bin/env", named: "/usr/bin/env", [system])
        #expect(again == system && again.stamp == system.stamp)
    }

    private var status: stat {
        var status = stat()
        stat(path, &status)
        return status
    }

    private func write(_ text: String) {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
    }
}
