import Glibc
import Testing

@testable import CaptureGate

@Suite("The folder of pictures")
struct UserPicturesTests {
    private func folder(_ text: String) -> String? {
        UserDirectories.folder("XDG_PICTURES_DIR", in: Array(text.utf8), home: "/home/ann")
    }

    @Test("Folders in the home directory and absolute ones are found")
    func found() {
        #expect(folder(#"XDG_PICTURES_DIR="$HOME/Pictures""#) == "/home/ann/Pictures")
        #expect(folder("# XDG_PICTURES_DIR=\"/a\"\n  XDG_PICTURES_DIR = \"/data/Bilder/\"  \r\n") == "/data/Bilder")
        #expect(folder("XDG_PICTURES_DIR=\"/a\"\nXDG_MUSIC_DIR=\"/m\"\nXDG_PICTURES_DIR=\"/b\"\n") == "/b")
        #expect(folder(#"XDG_PICTURES_DIR="$HOME/a\"b\\c\$d""#) == #"/home/ann/a"b\c$d"#)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "XDG_PICTURES_DIR", "XDG_PICTURES_DIR=", "XDG_PICTURES_DIR=/a", "XDG_PICTURES_DIR='/a'",
            #"XDG_PICTURES_DIR="Pictures""#, #"XDG_PICTURES_DIR="~/Pictures""#, #"XDG_PICTURES_DIR="$HOMEX/a""#,
            #"XDG_PICTURES_DIR="${HOME}/a""#, #"XDG_PICTURES_DIR="$(rm -rf /)""#, #"XDG_PICTURES_DIR="/`id`""#,
            #"XDG_PICTURES_DIR="/a"; rm -rf /"#, #"XDG_PICTURES_DIR="/a"#, "XDG_PICTURES_DIR=\"/a\\",
            #"XDG_PICTURES_DIR="$HOME/../../etc""#, "XDG_PICTURES_DIR=\"/a\0b\"", #"XXDG_PICTURES_DIR="/a""#,
            #"XDG_PICTURES_DIRX="/a""#, #"XDG_PICTURES_DIR="/$USER""#,
        ])
    func none(text: String) {
        #expect(folder(text) == nil)
    }

    @Test("A last line that is wrong goes before an earlier one that is right")
    func last() {
        #expect(folder("XDG_PICTURES_DIR=\"/a\"\nXDG_PICTURES_DIR=\"$(b)\"\n") == nil)
    }

    @Test(
        "The home directory itself is a folder that was switched off",
        arguments: ["$HOME", "$HOME/", "/home/ann", "/home/ann//"])
    func off(value: String) {
        #expect(folder("XDG_PICTURES_DIR=\"\(value)\"") == nil)
    }

    @Test("Bytes that are no text are no folder")
    func bytes() {
        let bytes = Array("XDG_PICTURES_DIR=\"/".utf8) + [0xFF, 0xFE] + Array("\"".utf8)
        #expect(UserDirectories.folder("XDG_PICTURES_DIR", in: bytes, home: "/home/ann") == nil)
    }

    /// A home with a file of directories that names one.
    private func pictures(_ folder: String = "Pictures") throws -> (home: String, library: UserPictures) {
        let home = try TemporaryFolder.make()
        mkdir("\(home)/config", 0o700)
        mkdir("\(home)/Pictures", 0o700)
        let file = try #require(fopen("\(home)/config/user-dirs.dirs", "w"))
        fputs("XDG_PICTURES_DIR=\"$HOME/\(folder)\"\n", file)
        fclose(file)
        let environment = ["HOME": home, "XDG_CONFIG_HOME": "\(home)/config"]
        return (home, UserPictures(deadline: .seconds(1), environment: environment, mark: "\(home)/sandbox"))
    }

    @Test("The folder that the settings name is found, and known by its path")
    func settings() async throws {
        let (home, library) = try pictures()
        let finding = await library.find(for: .write)
        guard case .available = finding.state else {
            Issue.record("not available")
            return
        }
        #expect(finding.path == "\(home)/Pictures" && finding.description.id.rawValue == "photos:\(home)/Pictures")
    }

    @Test("A folder that is not there, or is a file, is absent", arguments: ["none", "config/user-dirs.dirs"])
    func absent(name: String) async throws {
        guard case .absent(let error) = try await pictures(name).library.find(for: .read).state else {
            Issue.record("not absent")
            return
        }
        #expect(!error.remedies.isEmpty)
    }

    @Test("In a sandbox that does not show it, the portal is missed where there is none")
    func sandbox() async throws {
        let (home, library) = try pictures("none")
        close(creat("\(home)/sandbox", 0o600))
        let finding = await library.find(for: .read)
        guard case .absent(let error) = finding.state else {
            Issue.record("not absent")
            return
        }
        #expect(finding.path == nil && error.message.contains("directory can't be chosen"))
        await #expect(throws: CaptureError.self) { try await library.chosenFolder(for: .read) }
    }

    @Test("A file's URI is decoded, and nothing else is one")
    func addresses() {
        #expect(FolderPortal.path(ofURI: "file:///run/user/1000/doc/a%20b/%C3%BC") == "/run/user/1000/doc/a b/ü")
        for uri in [
            "", "file://", "file://host/a", "http:///a", "file:///a%00", "file:///a%2", "file:///a%zz", "file:///%ff",
        ] {
            #expect(FolderPortal.path(ofURI: uri) == nil)
        }
    }
}
