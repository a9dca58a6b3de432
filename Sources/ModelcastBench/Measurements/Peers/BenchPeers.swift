import Foundation

/// The servers that are measured beside Modelcast in ``BenchScenario/peers``, and the programs that drive them.
public struct BenchPeers: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The folder with the programs that `Scripts/bench-peers` builds.
    public var drivers: String
    /// The port of 127.0.0.1 at which Redis listens; nil to leave it out.
    public var redisPort: Int?
    /// The port of 127.0.0.1 at which NATS listens; nil to leave it out.
    public var natsPort: Int?
    /// Updates in each of a server's rounds.
    public var updates = 500_000

    /// Servers at these ports of 127.0.0.1.
    public init(drivers: String, redisPort: Int? = nil, natsPort: Int? = nil) {
        (self.drivers, self.redisPort, self.natsPort) = (drivers, redisPort, natsPort)
    }

    /// A sentence that says how the scenario is run.
    public static let instruction = """
        peers needs servers and the programs that drive them: run Scripts/bench-peers, which starts and builds them, \
        or give --peer-drivers with --redis-port or --nats-port
        """

    /// The servers, the number of updates and the folder of the drivers in one line.
    public var description: String {
        let servers = [("Redis", redisPort), ("NATS", natsPort)].compactMap { name, port in
            port.map { "\(name) at port \($0)" }
        }
        return "\(servers.joined(separator: ", ")), \(Figures.grouped(updates)) updates, drivers in \(drivers)"
    }

    /// Checks that there is a server, and a program for each peer.
    /// - Throws: ``BenchError`` that says what is missing.
    public func check() throws {
        guard redisPort != nil || natsPort != nil else {
            throw BenchError("--peer-drivers takes --redis-port, --nats-port or both: where do the servers listen?")
        }
        for peer in BenchPeer.all(of: self) {
            let path = path(of: peer)
            var isDirectory: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            guard exists, !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: path) else {
                throw BenchError("--peer-drivers: no program \(path); Scripts/bench-peers builds it")
            }
        }
    }

    /// The program that drives a peer.
    func path(of peer: BenchPeer) -> String {
        URL(fileURLWithPath: drivers).appendingPathComponent(peer.program).path
    }
}
