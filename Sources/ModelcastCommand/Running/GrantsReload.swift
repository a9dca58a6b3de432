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
            let new = grants.keys.subtracting(old.keys).count
            let changed = grants.all.count { grant in old[grant.key].map { $0.rights != grant.rights } ?? false }
            StandardError.write(
                line: "\(path): \(grants.all.count) keys, of these \(new) new and \(changed) changed; "
                    + "\(old.keys.subtracting(grants.keys).count) are gone")
            GrantsReload.tell(grants, path, logger)
        } catch {
            logger.error("the grants were not changed", metadata: ["reason": "\(error)"])
        }
    }

    /// Logs that these grants hold, and what may be a mistake in them.
    static func tell(_ grants: Grants, _ path: String, _ logger: Logger) {
        logger.notice("grants loaded", metadata: ["file": "\(path)", "keys": "\(grants.all.count)"])
        for warning in grants.warnings { logger.warning("\(path):\(warning)") }
    }
}
