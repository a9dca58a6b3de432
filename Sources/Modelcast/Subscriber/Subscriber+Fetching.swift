@_spi(CacheWriting) public import ModelCache
import ModelRecord
public import ModelTypes
import ModelViews

/// Models that a copy with limits does not hold at the moment.
extension Subscriber {
    /// Whether the copy holds a model, has evicted it for its limits, or knows of none. From any thread, without a wait
    /// for the network.
    public func presence(of type: String, _ id: String) -> ModelPresence { cache.presence(of: type, id) }

    /// The same for a model of a Swift type.
    public func presence<M: Model>(of type: M.Type, _ id: M.ID) -> ModelPresence {
        cache.presence(of: M.modelType, id.idText)
    }

    /// The ids of the models of a type that the copy holds; with `prefetch` set to `ids` those of all models that there
    /// are, as far as the copy has been told. In no order; a copy that has left out models for its limits alone does
    /// not know their ids.
    ///
    /// From any thread, without a wait for the network.
    /// - Complexity: O(*n*) in the models.
    public func ids(of type: String) -> [String] { cache.ids(of: type) }

    /// The same for models of a Swift type. Ids that are none of it are left out.
    public func ids<M: Model>(of type: M.Type) -> [M.ID] {
        cache.ids(of: M.modelType).compactMap { M.ID(exactly: $0) }
    }

    /// The model, brought back from the senders where it has been evicted; nil where it does not exist.
    ///
    /// Requests of several tasks for one model become one. The model comes back whole: all that this copy has been told
    /// of it, also what was passed over since. It stays until the limits need its room again; `pin` keeps it.
    /// - Parameters:
    ///   - type: the type of the model.
    ///   - id: its id.
    ///   - timeout: how long the senders may take.
    /// - Throws: ``ModelcastError`` with code `timeout` where they have not answered, with whom was asked, and with
    ///   code `stopped`; `CancellationError` when the task is cancelled.
    /// - Complexity: a look-up where the model is here; else a round trip.
    public func fetch(
        _ type: String, _ id: String, timeout: Duration = .seconds(10)
    ) async throws -> CellRecord? {
        try await fetch(type, [id], timeout: timeout).first
    }

    /// The models with these ids that exist, in the order of their ids' bytes, as ``fetch(_:_:timeout:)-(_,String,_)``
    /// brings one. Some hundred are asked for in one message.
    public func fetch(
        _ type: String, _ ids: [String], timeout: Duration = .seconds(10)
    ) async throws -> [CellRecord] {
        try Task.checkCancellation()
        let ids = Set(ids.lazy.map(ExactText.init)).sorted().map(\.text)
        let here = ids.compactMap { cache[type, $0] }
        fetchTally.note(hits: here.count, of: ids.count)
        if here.count == ids.count { return here }
        do { try Names.check(type: type) } catch { throw ModelcastError(error) }
        let token = core.withLock { $0.fetches.begin(type, ids) }
        defer {
            core.withLock { core in core.fetches.end(token) ? core.waker : nil }?.wake()
        }
        let found = try await fetching.wait(on: self, limit: timeout) { core -> Result<[CellRecord], any Error>? in
            if let records = core.fetches.result(token) { return .success(records) }
            if core.isStopped { return .failure(ModelcastError(.stopped, "the subscriber stopped before it had them")) }
            return nil
        }
        guard let found else { throw lateness(type, ids.count, timeout) }
        let missing = Set(ids.lazy.map(ExactText.init)).subtracting(found.lazy.map { ExactText($0.id) })
        // A blind copy does not know that there are such models.
        if !cache.isBlind, let id = missing.map(\.text).first(where: { cache.presence(of: type, $0) == .evicted }) {
            throw absence(type, id)
        }
        return found.sorted { ExactText($0.id) < ExactText($1.id) }
    }

    /// The model of a Swift type, brought back where it has been evicted; nil where it does not exist. See
    /// ``fetch(_:_:timeout:)-(_,String,_)``.
    /// - Throws: also `ModelProblem` where the record does not make such a model.
    public func fetch<M: Model>(
        _ type: M.Type, _ id: M.ID, timeout: Duration = .seconds(10)
    ) async throws -> M? {
        try await fetch(M.modelType, id.idText, timeout: timeout).map { try model(type, $0) }
    }

    /// The models of a Swift type that exist, in the order of their ids' texts.
    public func fetch<M: Model>(
        _ type: M.Type, _ ids: [M.ID], timeout: Duration = .seconds(10)
    ) async throws -> [M] {
        try await fetch(M.modelType, ids.map(\.idText), timeout: timeout).map { try model(type, $0) }
    }

    private func model<M: Model>(_ type: M.Type, _ record: CellRecord) throws(ModelProblem) -> M {
        try record.state(of: type, telling: problems.tell).current.get()
    }

    /// Keeps a model in the copy whatever its limits, from the moment it is there. As often as it is pinned it has to
    /// be let go.
    public func pin(_ type: String, _ id: String) { cache.setPinned(true, type: type, id: id) }

    /// Lets a model go that was pinned.
    public func unpin(_ type: String, _ id: String) { cache.setPinned(false, type: type, id: id) }

    /// Keeps a model of a Swift type in the copy; see ``pin(_:_:)-(String,_)``.
    public func pin<M: Model>(_ type: M.Type, _ id: M.ID) { pin(M.modelType, id.idText) }

    /// Lets a model of a Swift type go that was pinned.
    public func unpin<M: Model>(_ type: M.Type, _ id: M.ID) { unpin(M.modelType, id.idText) }

    private var askedSenders: String {
        let endpoints = configuration.publishers
        let states = status.senders.map { sender in
            // One that has never answered has no name yet.
            let isNamed = !sender.name.isEmpty || !endpoints.indices.contains(sender.sender.index)
            return "\(isNamed ? sender.name : endpoints[sender.sender.index]) (\(sender.state.rawValue))"
        }
        return states.isEmpty
            ? "none of \(configuration.publishers.joined(separator: ", "))" : states.joined(separator: ", ")
    }

    private func absence(_ type: String, _ id: String) -> ModelcastError {
        ModelcastError(
            .timeout,
            "\(type) \(id) is known here, and none of those that answered has it. Asked: \(askedSenders). One that "
                + "is not live may have it")
    }

    private func lateness(_ type: String, _ count: Int, _ limit: Duration) -> ModelcastError {
        let what = count == 1 ? "a model of \(type) was" : "\(count) models of \(type) were"
        return ModelcastError(
            .timeout,
            "\(what) not brought back within \(limit). Asked: \(askedSenders). A sender that is not "
                + "live, or that lacks what this copy has been told, is waited for")
    }
}
