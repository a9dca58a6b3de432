import Modelcast

/// The files with the keys of a worker, and with the grants that it holds others to. A task names files and no keys, as
/// every user of the machine can read command lines.
public struct WorkerKeys: Codable, Sendable {
    /// The file with the secret key of the worker.
    var key: String
    /// The file with the grants; nil for a worker that serves nobody and believes nobody.
    var grants: String?
    /// The files with the public keys of the servers that the worker connects to, by control endpoint.
    var servers: [String: String] = [:]

    /// Reads the files.
    func security() throws -> Security {
        var security = Security(keys: try KeyFile.keyPair(at: key))
        for (endpoint, path) in servers {
            security.serversByEndpoint[endpoint] = try KeyFile.publicKeys(at: path).first
        }
        if let grants { security.access = Access(try GrantsFile.read(grants)) }
        return security
    }
}
