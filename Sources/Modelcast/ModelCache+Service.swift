import ModelCache
import ServiceLifecycle

extension ModelCache {
    /// An empty cache for a service. A stream of its changes also ends when the service group of the awaiting task
    /// shuts down. Otherwise a service that only awaits the stream would keep the group from ending.
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
