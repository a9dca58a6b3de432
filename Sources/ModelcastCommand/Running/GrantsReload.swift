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

    /// Logs what may be a mistake in these grants.
    static func tell(_ grants: Grants, _ path: String, _ logger: Logger) {
        for warning in grants.warnings { logger.warning("\(path):\(warning)") }
    }
}
