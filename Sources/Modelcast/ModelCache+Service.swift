@_spi(CacheWriting) import ModelCache
import ServiceLifecycle

extension ModelCache {
    /// An empty cache for a service. A stream of its changes also ends when the service group of the awaiting task
    /// shuts down. Otherwise a service that only awaits the stream would keep the group from ending.
    /// - Parameters:
    ///   - limits: how much it may hold; empty for everything.
    ///   - isLazy: only what is fetched comes into it.
    static func ofService(limits: CacheLimits = CacheLimits(), isLazy: Bool = false) -> ModelCache {
        var limits = limits
        limits.isLazy = isLazy
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
