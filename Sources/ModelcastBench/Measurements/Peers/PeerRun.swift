import Foundation

/// Runs a driver once: a process that measures, prints one line and ends.
struct PeerRun {
    let peer: BenchPeer
    let peers: BenchPeers
    let models: Int
    /// The folder for the driver's text on stderr, which goes into the message when the driver fails.
    let folder: URL
    /// How many seconds the driver may take, which it checks itself.
    var secondsMost = 120
    /// How many seconds longer this process waits, so that the driver can say itself what it was waiting for.
    var secondsMore = 5

    func measure() async throws -> PeerReport {
        let words = folder.appendingPathComponent("words").path
        try? FileManager.default.removeItem(atPath: words)
        var launch = ChildLaunch(arguments: arguments)
        launch.executable = peers.path(of: peer)
        // The tuning of the allocator in Scripts/build-flags is for Modelcast; peers run with their own defaults.
        launch.environment = ["GLIBC_TUNABLES": ""]
        launch.errorPath = words
        let driver = try Child<BenchOrder, PeerReport>(name: peer.name, launch: launch)
        do {
            let report = try await driver.next(within: .seconds(secondsMost + secondsMore))
            guard await driver.hasEnded(within: .seconds(20)), driver.endText == "exit code 0" else {
                throw BenchError("\(peer.name): the driver did not end well, \(driver.endText)")
            }
            try report.check(peer, updates: peers.updates)
            return report
        } catch let error as BenchError {
            driver.kill()
            throw said(words).map { BenchError("\(peer.name): \($0)") } ?? error
        } catch {
            driver.kill()
            throw error
        }
    }

    private var arguments: [String] {
        peer.arguments + [
            "--port", "\(peer.port)", "--updates", "\(peers.updates)", "--models", "\(models)",
            "--seconds-max", "\(secondsMost)",
        ]
    }

    /// The reason that the driver gave on stderr; nil where it gave none.
    private func said(_ words: String) -> String? {
        let text = (try? String(contentsOfFile: words, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").suffix(5)
        return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }
}
