import ArgumentParser
import Foundation
import ModelRecord
import Modelcast

/// `modelcast keygen`: writes a pair of keys.
struct Keygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a pair of keys, with which a process proves who it is.",
        discussion: """
            Writes NAME.key, the secret key, which only its owner may read, and NAME.pub, the public one:

              $ modelcast keygen accounts
              $ modelcast keygen billing
              $ modelcast publish --key accounts.key --client-keys billing.pub --bind tcp://0.0.0.0:7400 …
              $ modelcast subscribe --key billing.key --server-key accounts.pub --connect tcp://10.0.0.5:7400

            Each process has a pair of its own. Public keys may be known to all, and several of them in one file:

              $ cat billing.pub relay-a.pub > clients.pub

            With --signing it makes a key with which a publisher signs what it sends: NAME-signing.key is the \
            publisher's alone, and the characters in NAME-signing.pub go into the grants (sign=).

              $ modelcast keygen --signing accounts
              $ modelcast publish --signing-key accounts-signing.key …

            With --token it makes a token for the models at --http: NAME.token is what a client has to send, and the \
            characters in NAME-token.pub go into the file of --http-tokens.

              $ modelcast keygen --token dashboard
              $ curl -H "Authorization: Bearer $(cat dashboard.token)" http://127.0.0.1:9464/v1/types

            A file that exists is never overwritten.
            """)

    @Option(help: ArgumentHelp("Where the files go. Default: here.", valueName: "folder"))
    var output = "."

    @Flag(help: "Make a key for signatures, and not one for connections.")
    var signing = false

    @Flag(help: "Make a token for --http, and not a key for connections.")
    var token = false

    @Argument(help: ArgumentHelp("The name of the files, and of the key: A-Z a-z 0-9 _ . -", valueName: "name"))
    var name: String

    func validate() throws {
        guard !signing || !token else {
            throw ValidationError("--signing and --token make different things: call keygen once for each")
        }
        do {
            try Names.check(origin: name)
        } catch {
            throw ValidationError("the name of a key must be 1 to 64 of A-Z a-z 0-9 _ . -; this is \"\(name)\"".shown())
        }
    }

    func run() throws {
        let made = try make()
        let folder = URL(fileURLWithPath: output)
        let secret = folder.appendingPathComponent(made.secretFile).path
        let open = folder.appendingPathComponent(made.openFile).path
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("cannot make the folder \(folder.path): \(error.localizedDescription)")
        }
        try Keygen.write(made.secret, to: secret, mode: 0o600)
        do {
            try Keygen.write(made.open, to: open, mode: 0o644)
        } catch {
            // The secret key was made just now, and without its public key it is of no use.
            try? FileManager.default.removeItem(atPath: secret)
            throw error
        }
        StandardError.write(line: "wrote \(secret), \(made.secretUse), and \(open), \(made.openUse)")
    }

    /// A pair of a secret and what others may know of it, with their files and what each is for.
    private struct Pair {
        let secret: String
        let open: String
        let secretFile: String
        let openFile: String
        var secretUse = "for this process alone"
        let openUse: String
    }

    private func make() throws -> Pair {
        if token {
            let token = BearerToken.random()
            return Pair(
                secret: "\(token.text)\n", open: KeyFile.text(token: token, name: name), secretFile: "\(name).token",
                openFile: "\(name)-token.pub", secretUse: "for the client alone",
                openUse: "whose key goes into the file of --http-tokens")
        }
        if signing {
            let key = SigningKey()
            return Pair(
                secret: KeyFile.text(signing: key), open: KeyFile.text(verifying: key.publicKey, name: name),
                secretFile: "\(name)-signing.key", openFile: "\(name)-signing.pub",
                openUse: "whose key goes into the grants (sign=)")
        }
        let keys = try Curve.KeyPair()
        return Pair(
            secret: KeyFile.text(secret: keys.secretKey), open: KeyFile.text(public: keys.publicKey, name: name),
            secretFile: "\(name).key", openFile: "\(name).pub", openUse: "for those who are to trust it")
    }

    /// Writes a new file. The file is created with its mode, so that no other user can open it in between.
    /// - Throws: `CommandFailure` when the file exists or cannot be written.
    private static func write(_ text: String, to path: String, mode: mode_t) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw CommandFailure(
                    "\(path) exists, and a key is never overwritten; move it away, or take another name")
            }
            throw CommandFailure("cannot write \(path): \(systemMessage(errno))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw CommandFailure("cannot write \(path): \((error as NSError).localizedDescription)")
        }
    }
}
