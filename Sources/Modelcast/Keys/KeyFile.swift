import Foundation
public import ModelSigning
public import ZeroMQ

/// The files that `modelcast keygen` writes.
///
/// ```text
/// modelcast-secret-key 40 characters          accounts.key, for its process alone
/// modelcast-public-key 40 characters accounts accounts.pub, for whoever is to trust it
///
/// modelcast-signing-key 40 characters             accounts-signing.key, for its process alone
/// modelcast-verifying-key 40 characters accounts  accounts-signing.pub, for the grants (sign=)
/// ```
/// A line has one key; the text behind a public key is for people. Files with public keys can be joined to one, as `cat
/// billing.pub relay-a.pub > clients.pub` does. Blank lines, and lines that begin with `#` and a space, are ignored. No
/// error quotes a key.
public enum KeyFile {
    /// The greatest size of a file of keys, in bytes.
    static let byteCountMax = 1 << 20

    /// The key pair whose secret key is in a file. The file is refused where its group may write it, where others may
    /// read or write it, where it belongs to neither this process's user nor root, and where none of that can be told.
    /// - Throws: ``ModelcastError`` with code `configuration`, which says what to do.
    public static func keyPair(at path: String) throws(ModelcastError) -> Curve.KeyPair {
        try keyPair(z85: secret(.secretKey, at: path), called: path)
    }

    /// The signing key in a file, which is refused as that of ``keyPair(at:)`` is.
    /// - Throws: ``ModelcastError`` with code `configuration`, which says what to do.
    public static func signingKey(at path: String) throws(ModelcastError) -> SigningKey {
        try signingKey(z85: secret(.signingKey, at: path), called: path)
    }

    /// The signing key that 40 characters of Z85 are.
    /// - Parameters:
    ///   - text: the key, in Z85.
    ///   - name: the source of the text, for errors.
    /// - Throws: ``ModelcastError`` for a text that is not a key.
    public static func signingKey(z85 text: String, called name: String) throws(ModelcastError) -> SigningKey {
        guard let seed = Curve.decodeZ85(text), let key = SigningKey(seed: seed) else {
            throw failure("\(name) is no signing key of 40 characters; was it cut when it was copied?")
        }
        return key
    }

    /// The only secret of a file.
    private static func secret(_ kind: Kind, at path: String) throws(ModelcastError) -> String {
        let (lines, rights) = try read(path)
        let keys = try keys(lines, kind, of: path)
        guard let rights else {
            throw failure("it cannot be told who may read \(path), which has a secret key: use a file of a local disk")
        }
        guard rights.mode & 0o027 == 0 else {
            throw failure(
                "\(path) is a secret key that its group may write, or others may read or write: chmod 600 \(path)")
        }
        guard rights.isOwn else {
            throw failure(
                "\(path) is a secret key of another user, who may change it: chown it to the user of this process")
        }
        guard keys.count == 1 else {
            let (sort, option) = kind == .signingKey ? ("signing", " --signing") : ("secret", "")
            throw failure(
                "\(path) holds \(keys.count) \(sort) keys, and a process has one: "
                    + "modelcast keygen\(option) writes such a file")
        }
        return keys[0]
    }

    /// The key pair of a secret key, given as 40 characters.
    /// - Parameters:
    ///   - text: the secret key, in Z85.
    ///   - name: the source of the text, for errors.
    /// - Throws: ``ModelcastError`` for a text that is not a key.
    public static func keyPair(z85 text: String, called name: String) throws(ModelcastError) -> Curve.KeyPair {
        guard let secret = Curve.SecretKey(z85: text) else {
            throw failure("\(name) is no secret key of 40 characters; was it cut when it was copied?")
        }
        do {
            return try Curve.KeyPair(secretKey: secret)
        } catch {
            throw ModelcastError(error)
        }
    }

    /// The public keys in a file; at least one.
    /// - Throws: ``ModelcastError`` with code `configuration`, which says what to do.
    public static func publicKeys(at path: String) throws(ModelcastError) -> [Curve.PublicKey] {
        let keys = try keys(read(path).lines, .publicKey, of: path).compactMap { Curve.PublicKey(z85: $0) }
        guard !keys.isEmpty else {
            throw failure("\(path) holds no public key; it is what modelcast keygen writes as NAME.pub")
        }
        return keys
    }

    /// The line of a secret key, with the newline.
    public static func text(secret key: Curve.SecretKey) -> String { "\(Kind.secretKey.rawValue) \(key.z85)\n" }

    /// The line of a public key, with the newline.
    /// - Parameters:
    ///   - key: the public key.
    ///   - name: the name of the key's owner, for people.
    public static func text(public key: Curve.PublicKey, name: String) -> String {
        "\(Kind.publicKey.rawValue) \(key.z85) \(name)\n"
    }

    /// The line of a signing key, with the newline.
    public static func text(signing key: SigningKey) -> String {
        "\(Kind.signingKey.rawValue) \(Curve.encodeZ85(key.seed) ?? "")\n"
    }

    /// The line of the public half of a signing key, with the newline.
    /// - Parameters:
    ///   - key: the public half.
    ///   - name: the name of the key's owner, for people.
    public static func text(verifying key: VerifyingKey, name: String) -> String {
        "\(Kind.verifyingKey.rawValue) \(Curve.encodeZ85(key.bytes) ?? "") \(name)\n"
    }

    /// The line of what grants have of a token, with the newline.
    /// - Parameters:
    ///   - token: the token.
    ///   - name: the name of its owner, for people.
    public static func text(token: BearerToken, name: String) -> String {
        "\(Kind.tokenKey.rawValue) \(token.key) \(name)\n"
    }

    private enum Kind: String {
        case secretKey = "modelcast-secret-key"
        case publicKey = "modelcast-public-key"
        case signingKey = "modelcast-signing-key"
        case verifyingKey = "modelcast-verifying-key"
        case tokenKey = "modelcast-token-key"

        /// The key of such a line in words, for errors, with the usual name of its file.
        var title: String {
            switch self {
            case .secretKey: "a secret key (NAME.key)"
            case .publicKey: "a public key (NAME.pub)"
            case .signingKey: "a signing key (NAME-signing.key)"
            case .verifyingKey: "the public half of a signing key (NAME-signing.pub)"
            case .tokenKey: "what grants have of a token (NAME-token.pub)"
            }
        }
    }

    private static func read(_ path: String) throws(ModelcastError) -> (lines: [Substring], rights: FileRights?) {
        let facts = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard facts?.isDirectory != true else { throw failure("\(path) is a folder: name the file of keys in it") }
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            let rights = FileRights(of: file.fileDescriptor)
            let data = try file.read(upToCount: byteCountMax + 1) ?? Data()
            if data.count <= byteCountMax, let text = String(data: data, encoding: .utf8) {
                return (text.split(separator: "\n", omittingEmptySubsequences: false), rights)
            }
        } catch {
            throw failure("cannot read the keys in \(path): \((error as NSError).localizedDescription)")
        }
        throw failure("\(path) is no file of keys; modelcast keygen writes such files")
    }

    private static func keys(
        _ lines: [Substring], _ wanted: Kind, of path: String
    ) throws(ModelcastError) -> [String] {
        var keys: [String] = []
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, first != "#" else { continue }
            let place = "\(path):\(index + 1)"
            guard let kind = Kind(rawValue: String(first)) else {
                throw failure("\(place): a line begins with \(wanted.rawValue), as modelcast keygen writes it")
            }
            guard kind == wanted else {
                let advice = kind == .secretKey || kind == .signingKey ? "; let nobody have the secret" : ""
                throw failure("\(place): this is \(kind.title); wanted is \(wanted.title)\(advice)")
            }
            guard words.count > 1, Curve.PublicKey(z85: String(words[1])) != nil else {
                throw failure("\(place): no key of 40 characters follows; was it cut when it was copied?")
            }
            keys.append(String(words[1]))
        }
        return keys
    }

    private static func failure(_ message: String) -> ModelcastError { ModelcastError(.configuration, message) }
}
