/// How much of each type, and of all together, a copy keeps in memory.
///
/// Types that are not named, and where `all` has no limit either, are kept whole and cost nothing more.
public struct CacheLimits: Hashable, Sendable {
    /// The models that come into a copy by themselves.
    public enum Prefetch: String, Sendable, Hashable, CaseIterable {
        /// All models of the selection.
        case all
        /// No model: the copy holds what was fetched, and is told of changes of that alone. So it takes memory for what
        /// it holds, however many models there are, and is live as soon as its senders have answered.
        case none
        /// The ids of all models of the selection, and no field: as with `none`, but the copy knows which models there
        /// are (`Subscriber.ids(of:)`), and tells one that does not exist apart without asking.
        case ids

        /// Only what is fetched comes into the copy: all other models count as evicted.
        var isLazy: Bool { self != .all }
    }

    /// The limits of single types, by their names.
    public var types: [String: ModelLimits]
    /// The limits of all types together; nil for none. Its idle time is that of each type that has none of its own.
    public var all: ModelLimits?
    /// The models that come into the copy by themselves, from its making on.
    @_spi(CacheWriting) public var prefetch = Prefetch.all

    /// Limits of single types, and of all together.
    public init(types: [String: ModelLimits] = [:], all: ModelLimits? = nil) {
        self.types = types
        self.all = all
    }

    /// Nothing is limited.
    public var isEmpty: Bool { types.isEmpty && all == nil && !prefetch.isLazy }

    /// Models of the type may leave the copy.
    public func mayEvict(_ type: String) -> Bool { prefetch.isLazy || all != nil || types[type] != nil }

    /// A text that says what is wrong with the limits, and what would do; nil where nothing is.
    public var problem: String? {
        if let problem = all?.problem { return "everything together \(problem)" }
        for (type, limits) in types.sorted(by: { $0.key < $1.key }) {
            if type.isEmpty { return "a limit has no type; that of all types is `all`" }
            if let problem = limits.problem { return "\(type) \(problem)" }
            if let all = all?.count, let count = limits.count, count > all {
                return "\(type) may have \(count) models, and everything together \(all): one of the two is wrong"
            }
            if let all = all?.bytes, let bytes = limits.bytes, bytes > all {
                return "\(type) may have \(bytes) bytes, and everything together \(all): one of the two is wrong"
            }
        }
        return nil
    }

    /// The limits of a table; nil where the type is kept whole.
    func bounds(of type: String) -> ModelLimits? {
        guard mayEvict(type) else { return nil }
        var limits = types[type] ?? ModelLimits()
        limits.idle = limits.idle ?? all?.idle
        return limits
    }
}
