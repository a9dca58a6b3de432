import Logging
import Modelcast
import ServiceLifecycle
import UnixSignals

/// Reads the file of grants again at each SIGHUP. A file that cannot be read changes nothing.
struct GrantsReload: Service {
    let path: String
    let access: Access
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        // One may have come since the file was read.
        reload(isAsked: false)
        for await _ in signals.cancelOnGracefulShutdown() { reload(isAsked: true) }
    }

    private func reload(isAsked: Bool) {
        do {
            let grants = try GrantsFile.read(path)
            let old = access.grants
            guard isAsked || grants != old else { return }
            access.replace(by: grants)
            let changes = grants.changes(since: old)
            StandardError.write(
                line: "\(path): \(grants.all.count) keys, of these \(changes.new.count) new and "
                    + "\(changes.changed.count) changed; \(changes.gone.count) are gone")
            GrantsReload.tell(grants, path, logger)
        } catch {
            (access.audit ?? logger).error("the grants were not changed", metadata: ["reason": "\(error)"])
        }
    }

    /// How many of them are logged.
    private static let toldCountMax = 20

    /// Logs what may be a mistake in these grants.
    static func tell(_ grants: Grants, _ path: String, _ logger: Logger) {
        for warning in grants.warnings.prefix(toldCountMax) { logger.warning("\(path):\(warning)") }
        let left = grants.warnings.count - toldCountMax
        if left > 0 { logger.warning("\(path): and \(left) more, which modelcast grants check \(path) tells") }
    }
}
