import ModelCache
import ServiceLifecycle

extension ModelCache {
    /// The copy of a service. A stream of its changes ends when the service group of the task that awaits it shuts
    /// down: a service that does nothing else than to await it would keep the group from ending.
    static func ofService() -> ModelCache {
        ModelCache(streamsGuardedBy: { next, end in
            await withGracefulShutdownHandler {
                await next()
            } onGracefulShutdown: {
                end()
            }
        })
    }
}
