public import ModelRecord

/// The model that is kept on a record, one for each Swift type that the record was read as. Unlike ``ModelState``, it
/// lends the model in place.
///
/// The arithmetic with its address stands here, and not in `ModelRecord`, because only the order of the properties
/// below makes it right; an assertion compares it with the layout that the compiler has chosen.
package struct KeptModel<M: Model>: KeptOnRecord {
    /// The first property, so that it is read without looking into the model.
    private let kind: Kind
    /// The newest model that could be made. The second property: see ``place(in:)``.
    let model: M?
    /// Why the record does not make a model; nil when it makes one.
    let problem: Problem?
    /// The last stamp of the record that the model was made of; 0 where there is none.
    let stamp: Stamp

    private enum Kind: UInt8 {
        /// The record makes the model.
        case ofRecord
        /// An earlier record made the model.
        case ofEarlier
        /// There is no model.
        case none
    }

    /// On the heap, as problems are rare.
    indirect enum Problem: Sendable { case found(ModelProblem) }

    init(_ model: consuming M, _ stamp: Stamp) {
        (kind, self.model, problem, self.stamp) = (.ofRecord, model, nil, stamp)
    }

    /// A record that does not make a model.
    /// - Parameter last: the last model that could be made, and the last stamp of its record.
    init(_ problem: ModelProblem, last: consuming (model: M, stamp: Stamp)?) {
        kind = last == nil ? .none : .ofEarlier
        (model, stamp) = (last?.model, last?.stamp ?? 0)
        self.problem = .found(problem)
    }

    /// There is a model, of this record or an earlier one.
    var hasModel: Bool { kind != .none }

    /// The model is carried over without the problem: the next record decides whether the model is the newest.
    package func carried() -> KeptModel? { model.map { KeptModel($0, stamp) } }

    package var superseded: ObjectIdentifier? { kind == .ofRecord ? ObjectIdentifier(ToldModel<M>.self) : nil }

    /// The address of the model in a value at `kept`; nil when its record makes none. Nothing is copied.
    @inline(__always)
    static func place(in kept: UnsafeRawPointer) -> UnsafePointer<M>? {
        guard unsafe kept.load(as: UInt8.self) == Kind.ofRecord.rawValue else { return nil }
        return unsafe anyPlace(in: kept)
    }

    /// The address of the model in a value that has one.
    @inline(__always)
    static func anyPlace(in kept: UnsafeRawPointer) -> UnsafePointer<M> {
        // Properties are laid out in order, so the model is behind the kind. An optional begins with its wrapped value.
        unsafe (kept + 1).alignedUp(for: M.self).assumingMemoryBound(to: M.self)
    }
}

extension CellRecord {
    /// The state of this record as a Swift type. The model is made at the first read and kept on the record; each later
    /// read costs some nanoseconds and a copy.
    /// - Parameters:
    ///   - type: the Swift type.
    ///   - tell: called when the model cannot be made, or when a constant field has another value than before. The
    ///     first reader calls it, once for each record, on its own thread.
    /// - Complexity: O(*fields*) the first time.
    public func state<M: Model>(of type: M.Type, telling tell: (ModelProblem) -> Void = { _ in }) -> ModelState<M> {
        // The record keeps the values alive until then.
        defer { extendLifetime(self) }
        let kept = unsafe kept(type, toCopy: true, telling: tell)
        guard case .found(let problem)? = unsafe kept.assumingMemoryBound(to: KeptModel<M>.self).pointee.problem else {
            guard let place = unsafe KeptModel<M>.place(in: kept) else {
                preconditionFailure("neither a model nor a problem")
            }
            return .current(unsafe place.pointee)
        }
        return unsafe lastGood(kept, type).map { unsafe .outdated($0.place.pointee, problem) } ?? .incomplete(problem)
    }

    /// A copy of the newest model that could be made; see ``state(of:telling:)``.
    @inline(__always)
    package func model<M: Model>(_ type: M.Type, telling tell: (ModelProblem) -> Void) -> M? {
        defer { extendLifetime(self) }
        let kept = unsafe kept(type, toCopy: true, telling: tell)
        return unsafe (KeptModel<M>.place(in: kept) ?? lastGood(kept, type)?.place)?.pointee
    }

    /// Lends the newest model that could be made, in place; nil when there is none.
    @inline(__always)
    package func withModel<M: Model, R, E>(
        _ type: M.Type, telling tell: (ModelProblem) -> Void, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        defer { extendLifetime(self) }
        let kept = unsafe kept(type, toCopy: false, telling: tell)
        guard let model = unsafe KeptModel<M>.place(in: kept) ?? lastGood(kept, type)?.place else { return nil }
        return try unsafe CellRecord.lend(model, body)
    }

    /// Lets readers of this record have the last good model of a former one, where this one makes none and has an older
    /// one at most.
    package func takeLastGood<M: Model>(of former: CellRecord, _ type: M.Type, telling tell: (ModelProblem) -> Void) {
        defer { extendLifetime((self, former)) }
        let kept = unsafe kept(type, toCopy: false, telling: tell)
        guard unsafe KeptModel<M>.place(in: kept) == nil else { return }
        let formerKept = unsafe former.kept(type, toCopy: false, telling: tell)
        guard let last = unsafe former.lastGood(formerKept, type),
            unsafe last.stamp > lastGood(kept, type)?.stamp ?? 0
        else { return }
        let told = unsafe ToldModel(model: last.place.pointee, stamp: last.stamp)
        _ = unsafe keep(told, ObjectIdentifier(ToldModel<M>.self))
    }

    /// The newest model that could be made, of this record or of an earlier one, and the last stamp of that record.
    @inline(never)
    @unsafe private func lastGood<M: Model>(
        _ kept: UnsafeRawPointer, _ type: M.Type
    ) -> (place: UnsafePointer<M>, stamp: Stamp)? {
        let stamp = unsafe kept.assumingMemoryBound(to: KeptModel<M>.self).pointee.stamp
        let own =
            unsafe kept.assumingMemoryBound(to: KeptModel<M>.self).pointee.hasModel
            ? unsafe (place: KeptModel<M>.anyPlace(in: kept), stamp: stamp) : nil
        guard unsafe own == nil || KeptModel<M>.place(in: kept) == nil,
            let told = unsafe keptOrCarried(ObjectIdentifier(ToldModel<M>.self))
        else { return unsafe own }
        let toldStamp = unsafe told.assumingMemoryBound(to: ToldModel<M>.self).pointee.stamp
        guard toldStamp > stamp else { return unsafe own }
        return unsafe (told.assumingMemoryBound(to: M.self), toldStamp)
    }

    /// The type is not copyable here, so that the compiler makes no copy.
    @inline(__always)
    private static func lend<Lent: ~Copyable, R, E>(
        _ place: UnsafePointer<Lent>, _ body: (borrowing Lent) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(place.pointee)
    }

    /// The address of the ``KeptModel``; valid as long as somebody holds the record.
    @inline(__always)
    private func kept<M: Model>(
        _ type: M.Type, toCopy: Bool, telling tell: (ModelProblem) -> Void
    ) -> UnsafeRawPointer {
        unsafe kept(ObjectIdentifier(M.self), toCopy: toCopy) ?? make(type, tell)
    }

    @inline(never)
    private func make<M: Model>(_ type: M.Type, _ tell: (ModelProblem) -> Void) -> UnsafeRawPointer {
        let key = ObjectIdentifier(M.self)
        let last = unsafe carried(key)?.assumingMemoryBound(to: KeptModel<M>.self).pointee
        let former = last?.model
        let (made, problem): (KeptModel<M>, ModelProblem?)
        do throws(ModelProblem) {
            let model = try M(self)
            problem = former.flatMap { changedConstants(from: $0, to: model) }
            made = KeptModel(model, lastStamp)
        } catch {
            (made, problem) = (KeptModel(error, last: former.map { ($0, last?.stamp ?? 0) }), error)
        }
        assert(MemoryLayout<KeptModel<M>>.offset(of: \.model) == MemoryLayout<M>.alignment, "see place(in:)")
        assert(MemoryLayout<ToldModel<M>>.offset(of: \.model) == 0, "see ToldModel")
        let (place, isFirst) = unsafe keep(made, key)
        if isFirst, let problem { tell(problem) }
        return unsafe place
    }
}
