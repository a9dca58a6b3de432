import Synchronization

extension Record {
    /// The value of this type that was made of this record and kept, if there is one.
    /// - Complexity: O(*types of values that are kept*)
    package func kept<Value: Sendable>(_ type: Value.Type) -> Value? { storage.value(type, isCarried: false) }

    /// The value of this type that was carried over from the record that this one replaced, if there is one.
    package func carried<Value: Sendable>(_ type: Value.Type) -> Value? { storage.value(type, isCarried: true) }

    /// Keeps a value that was made of this record, so that it is made once. It goes with the record.
    /// - Parameter carry: what the record that replaces this one is to begin with; nil for nothing. Called on the
    ///   thread that commits: cheap, and without locks.
    /// - Returns: nil; or what another thread has kept before, and is kept.
    package func keep<Value: Sendable>(_ value: Value, carry: @escaping @Sendable (Value) -> Value?) -> Value? {
        storage.keep(RecordViewValue(value, isCarried: false, carry: carry)).map(RecordStorage.value)
    }

    /// Gives a record that is about to replace this one, and that nobody else sees yet, the values to be carried over.
    @inline(__always)
    package func carryViews(to new: Record) { storage.carryViews(to: new.storage) }
}

/// Something that was made of a record and is kept on it: the model of a Swift type.
///
/// The views of a record are a list that only grows, at its head, until the record goes, and they with it. So whoever
/// has the record may walk the list without a lock: nothing in it changes or goes meanwhile.
// Unchecked because of `next` and `idHash`: they are set before the view is put into a list, by the one thread that has
// it then, and never again.
private class RecordView: @unchecked Sendable {
    /// The type of the value. A list has one view of a type, and one that was carried.
    let type: ObjectIdentifier
    /// It was not made of this record, but carried over from the one that this replaced.
    let isCarried: Bool
    var next: RecordView?
    /// The hash of the record's id, whose place in the record this takes.
    var idHash: UInt64 = 0

    init(type: ObjectIdentifier, isCarried: Bool) {
        self.type = type
        self.isCarried = isCarried
    }

    /// A new view, which says ``isCarried``, for the record that replaces this one; nil for none.
    func carried() -> RecordView? { nil }
}

/// A view and its value.
// Unchecked as its superclass is; all of its own are constants.
private final class RecordViewValue<Value: Sendable>: RecordView, @unchecked Sendable {
    let value: Value
    private let carry: @Sendable (Value) -> Value?

    init(_ value: Value, isCarried: Bool, carry: @escaping @Sendable (Value) -> Value?) {
        self.value = value
        self.carry = carry
        super.init(type: ObjectIdentifier(Value.self), isCarried: isCarried)
    }

    override func carried() -> RecordView? {
        carry(value).map { RecordViewValue($0, isCarried: true, carry: carry) }
    }
}

extension RecordStorage {
    fileprivate func value<Value: Sendable>(_ type: Value.Type, isCarried: Bool) -> Value? {
        view(ObjectIdentifier(type), isCarried: isCarried).map(RecordStorage.value)
    }

    /// The value of a view of this type.
    fileprivate static func value<Value: Sendable>(_ view: RecordView) -> Value {
        // Who says that it is of this type is a RecordViewValue of it: there is no other subclass.
        precondition(view.type == ObjectIdentifier(Value.self), "a view has another type")
        return unsafe unsafeDowncast(view, to: RecordViewValue<Value>.self).value
    }

    private func view(_ type: ObjectIdentifier, isCarried: Bool) -> RecordView? {
        var view = RecordStorage.view(withIdentity { $0.load(ordering: .acquiring) })
        while let found = view {
            if found.type == type, found.isCarried == isCarried { return found }
            view = found.next
        }
        return nil
    }

    /// Adds a view, unless there is one of its type.
    /// - Returns: the one that was there.
    fileprivate func keep(_ view: RecordView) -> RecordView? {
        var head = withIdentity { $0.load(ordering: .acquiring) }
        view.idHash = idHash
        while true {
            if let other = self.view(view.type, isCarried: view.isCarried) { return other }
            // The list owns a count of each view: the word that of the first, each view that of the next.
            view.next = RecordStorage.view(head)
            let address = unsafe UInt(bitPattern: Unmanaged.passRetained(view).toOpaque())
            let word = address | UInt(RecordStorage.viewMark)
            let expected = head
            let (exchanged, found) = withIdentity {
                $0.compareExchange(
                    expected: expected, desired: word, successOrdering: .acquiringAndReleasing,
                    failureOrdering: .acquiring)
            }
            if exchanged {
                // The word's count of what was the first: the view has counted it once more.
                RecordStorage.release(head)
                return nil
            }
            RecordStorage.release(word)
            head = found
        }
    }

    /// See ``Record/carryViews(to:)``.
    @inline(__always)
    func carryViews(to new: RecordStorage) {
        // Relaxed: a view that comes meanwhile might as well come a moment later.
        let first = withIdentity { $0.load(ordering: .relaxed) }
        guard UInt64(first) & RecordStorage.viewMark != 0, new.packed.exists else { return }
        carryAll(to: new)
    }

    @inline(never)
    private func carryAll(to new: RecordStorage) {
        var seen: [ObjectIdentifier] = []
        var view = RecordStorage.view(withIdentity { $0.load(ordering: .acquiring) })
        while let found = view {
            view = found.next
            // Those that were made of this record stand before those that came with it.
            guard !seen.contains(found.type), let carried = found.carried() else { continue }
            seen.append(found.type)
            _ = new.keep(carried)
        }
    }

    /// Ends the list. Only when the storage goes.
    func releaseViews() { RecordStorage.release(withIdentity { $0.load(ordering: .acquiring) }) }

    /// The hash of the id, where the word has a view.
    @inline(never)
    func hashOfViews(_ word: UInt64) -> UInt64 {
        guard let pointer = unsafe RecordStorage.address(UInt(word)) else { return word }
        return unsafe Unmanaged<RecordView>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.idHash }
    }

    /// The view that the word tells of, counted; nil where it has a hash. The list that it is in must be alive.
    private static func view(_ word: UInt) -> RecordView? {
        guard let pointer = unsafe address(word) else { return nil }
        return unsafe Unmanaged<RecordView>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Gives up the count that a word owned.
    private static func release(_ word: UInt) {
        guard let pointer = unsafe address(word) else { return }
        unsafe Unmanaged<RecordView>.fromOpaque(pointer).release()
    }

    private static func address(_ word: UInt) -> UnsafeRawPointer? {
        let mark = UInt(viewMark)
        guard word & mark != 0 else { return nil }
        return unsafe UnsafeRawPointer(bitPattern: word & ~mark)
    }
}
