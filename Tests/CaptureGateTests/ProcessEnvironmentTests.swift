import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("environment of the process")
struct ProcessEnvironmentTests {
    @Test("Of a name that stands twice the first counts, as for getenv; what is no variable is none")
    func variables() {
        let text = Array("A=1\0B==x=\0A=2\0nonsense\0C=\0\0=d\0".utf8)
        #expect(ProcessFile.variables(environ: text) == ["A": "1", "B": "=x=", "C": "", "": "d"])
    }

    @Test("It is read to its end")
    func whole() throws {
        #expect(try ProcessEnvironment.read()["PATH"] != nil)
        #expect(try ProcessEnvironment.read() == ProcessEnvironment.current)
    }
}
