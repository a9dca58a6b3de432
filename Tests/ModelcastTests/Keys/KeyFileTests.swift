import Foundation
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Files of keys: what is read, and what is said of those that cannot be.
@Suite struct KeyFileTests {
    private let folder: TemporaryDirectory
    private let keys: Curve.KeyPair

    init() throws {
        (folder, keys) = (try TemporaryDirectory(), try Curve.KeyPair())
    }

    private func write(_ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.path("file")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// The error, which quotes no key.
    private func failure(_ body: () throws -> Void) -> String {
        let error = #expect(throws: ModelcastError.self) { try body() }
        #expect(error?.code == .configuration)
        let message = error?.message ?? ""
        #expect(!message.contains(keys.secretKey.z85.prefix(20)) && !message.contains(keys.publicKey.z85.prefix(20)))
        return message
    }

    @Test func `what is written is read`() throws {
        #expect(try KeyFile.keyPair(at: write(KeyFile.text(secret: keys.secretKey))) == keys)
        let other = try Curve.KeyPair()
        let text =
            "# clients\n\n" + KeyFile.text(public: keys.publicKey, name: "a") + "\t"
            + KeyFile.text(public: other.publicKey, name: "b and more").replacingOccurrences(of: "\n", with: "\r\n")
        #expect(try KeyFile.publicKeys(at: write(text, mode: 0o644)) == [keys.publicKey, other.publicKey])
    }

    @Test(arguments: [0o644, 0o604, 0o620, 0o666, 0o602])
    func `a secret key that others may read or write is refused`(mode: Int) throws {
        let path = try write(KeyFile.text(secret: keys.secretKey), mode: mode)
        #expect(failure { _ = try KeyFile.keyPair(at: path) }.contains("chmod 600"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a secret key that belongs to another user is refused`() throws {
        let path = try write(KeyFile.text(secret: keys.secretKey))
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
        #expect(failure { _ = try KeyFile.keyPair(at: path) }.contains("chown"))
    }

    @Test func `the rights that count are those of the file that is read, wherever its path leads by now`() throws {
        let path = try write(KeyFile.text(secret: keys.secretKey), mode: 0o644)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        #expect(failure { _ = try KeyFile.keyPair(at: "/proc/self/fd/\(file.fileDescriptor)") }.contains("chmod 600"))
    }

    @Test func `a group that was let in on purpose may read a secret key`() throws {
        #expect(try KeyFile.keyPair(at: write(KeyFile.text(secret: keys.secretKey), mode: 0o440)) == keys)
    }

    @Test func `the rights that count are those of the file, not of a link to it`() throws {
        let link = folder.path("link")
        for (mode, isTaken) in [(0o600, true), (0o644, false)] {
            try? FileManager.default.removeItem(atPath: link)
            let path = try write(KeyFile.text(secret: keys.secretKey), mode: mode)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect((try? KeyFile.keyPair(at: link)) == (isTaken ? keys : nil))
        }
    }

    @Test func `one sort of key in the place of the other is told`() throws {
        let secret = try write(KeyFile.text(secret: keys.secretKey))
        #expect(failure { _ = try KeyFile.publicKeys(at: secret) }.contains("let nobody have the secret"))
        let known = try write(KeyFile.text(public: keys.publicKey, name: "a"))
        #expect(failure { _ = try KeyFile.keyPair(at: known) }.contains("NAME.key"))
    }

    @Test func `broken files are told with line and remedy`() throws {
        let line = KeyFile.text(secret: keys.secretKey)
        let broken = [
            ("", "0 secret keys"), ("# nothing\n", "0 secret keys"), (line + line, "2 secret keys"),
            (String(line.dropLast(9)), ":1: no key of 40 characters"), ("\nmodelcast-secret-key\n", ":2: no key"),
            (keys.secretKey.z85, ":1: a line begins with modelcast-secret-key"),
            ("modelcast-secret-key " + String(repeating: "~", count: 40), ":1: no key"),
            (String(repeating: "x", count: KeyFile.byteCountMax + 1), "no file of keys"),
        ]
        for (text, hint) in broken {
            let path = try write(text)
            #expect(failure { _ = try KeyFile.keyPair(at: path) }.contains(hint), "\(hint)")
        }
        let empty = try write("\n")
        #expect(failure { _ = try KeyFile.publicKeys(at: empty) }.contains("NAME.pub"))
        let binary = folder.path("binary")
        try Data([0xFF, 0xFE, 0]).write(to: URL(fileURLWithPath: binary))
        #expect(failure { _ = try KeyFile.publicKeys(at: binary) }.contains("no file of keys"))
        #expect(failure { _ = try KeyFile.publicKeys(at: folder.path("none")) }.contains("cannot read"))
        #expect(failure { _ = try KeyFile.keyPair(at: folder.path("")) }.contains("is a folder: name the file"))
        #expect(
            failure { _ = try KeyFile.signingKey(z85: "short", called: "MODELCAST_SIGNING_KEY") }
                .contains("MODELCAST_SIGNING_KEY is no signing key"))
        #expect(failure { _ = try KeyFile.keyPair(z85: "short", called: "MODELCAST_SECRET_KEY") }.contains("MODELCAST"))
    }
}
