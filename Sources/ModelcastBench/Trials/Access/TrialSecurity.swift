import Foundation
import Modelcast

/// The keys of a trial's processes, and the grants that they hold each other to: made for one run, as files in its
/// folder.
public struct TrialSecurity: Sendable {
    /// One process of the trial.
    struct Member: Hashable, Sendable {
        let name: String
        /// The rights of the process, as its line in the grants has them; nil for a process that has a key and no line.
        let rights: String?
    }

    /// The name of the process that runs the trial, and asks the others.
    static let asker = "demo"

    let members: [Member]
    private let folder: TrialFolder

    /// Makes a pair of keys for each member, and the grants.
    /// - Throws: ``BenchError`` when a file cannot be written.
    init(_ members: [Member], in folder: TrialFolder) throws {
        (self.members, self.folder) = (members, folder)
        var grants = ""
        for member in members {
            let keys = try Curve.KeyPair()
            try folder.write(KeyFile.text(secret: keys.secretKey), to: "\(member.name).key")
            try folder.write(KeyFile.text(public: keys.publicKey, name: member.name), to: "\(member.name).pub")
            if let rights = member.rights { grants += "grant \(keys.publicKey.z85) \(member.name) \(rights)\n" }
        }
        try folder.write(grants, to: "grants")
    }

    /// The files of a process.
    /// - Parameter servers: the names of the processes that it connects to, by control endpoint.
    func keys(of name: String, connectingTo servers: [String: String] = [:]) -> WorkerKeys {
        WorkerKeys(
            key: folder.path(of: "\(name).key"), grants: folder.path(of: "grants"),
            servers: servers.mapValues { folder.path(of: "\($0).pub") })
    }

    /// The file for the log of a process. Denials are warnings there, and would run across the table on a terminal.
    func logPath(of name: String) -> String { folder.path(of: "\(name).log") }

    /// The logs of all processes: a line with the name of each that has written something, and its lines.
    var logs: [String] {
        members.map(\.name).flatMap { name -> [String] in
            guard let text = try? String(contentsOfFile: logPath(of: name), encoding: .utf8), !text.isEmpty else {
                return []
            }
            return ["\(name):"] + text.split(separator: "\n").map { "  \($0)" }
        }
    }
}
