import ModelCache
import ServiceLifecycle

extension ModelCache {
    /// An empty cache for a service. A stream of its changes also ends when the service group of the awaiting task
    /// shuts down. Otherwise a service that only awaits the stream would keep the group from ending.
    /// - Parameter limits: how much it may hold; nil or empty for everything.
    static func ofService(limits: CacheLimits? = nil) -> ModelCache {
        let limits = limits.flatMap { $0.isEmpty ? nil : $0 }
        return ModelCache(
            limits: limits,
            streamsGuardedBy: { next, end in
                await withGracefulShutdownHandler {
                    await next()
                } onGracefulShutdown: {
                    end()
                }
            })
    }
}
