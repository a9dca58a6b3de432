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
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                let grants = try GrantsFile.read(path)
                access.replace(by: grants)
                GrantsReload.tell(grants, path, logger)
            } catch {
                logger.error("the grants were not changed", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Logs that these grants hold, and what may be a mistake in them.
    static func tell(_ grants: Grants, _ path: String, _ logger: Logger) {
        logger.notice("grants loaded", metadata: ["file": "\(path)", "keys": "\(grants.all.count)"])
        for warning in grants.warnings { logger.warning("\(path):\(warning)") }
    }
}
