@_spi(CacheWriting) import ModelCache
import ServiceLifecycle

extension ModelCache {
    /// An empty cache for a service. A stream of its changes also ends when the service group of the awaiting task
    /// shuts down. Otherwise a service that only awaits the stream would keep the group from ending.
    /// - Parameters:
    ///   - limits: how much it may hold; empty for everything.
    ///   - prefetch: what comes into it by itself.
    static func ofService(
        limits: CacheLimits = CacheLimits(), prefetch: SubscriberConfiguration.Prefetch = .all
    ) -> ModelCache {
        var limits = limits
        limits.prefetch = prefetch
        return ModelCache(
            limits: limits.isEmpty ? nil : limits,
            streamsGuardedBy: { next, end in
                await withGracefulShutdownHandler {
                    await next()
                } onGracefulShutdown: {
                    end()
                }
            })
    }
}
