import CPrefetch
import Synchronization

/// Something that is made of a record and may be kept on it: the model of a Swift type.
package protocol KeptOnRecord: Sendable {
    /// What the record that replaces this one is to begin with; nil for nothing. Called on the thread that commits:
    /// cheap, and without locks.
    func carried() -> Self?
}

extension CellRecord {
    /// Where the value stands that was made of this record and kept under this key, if there is one. It stays there,
    /// and never changes, as long as somebody has the record.
    /// - Parameters:
    ///   - key: any type, and always the same with a type of values.
    ///   - toCopy: the value is about to be copied: what it refers to is asked for.
    /// - Complexity: O(*values that are kept*)
    @inline(__always)
    @unsafe package func kept(_ key: ObjectIdentifier, toCopy: Bool = false) -> UnsafeRawPointer? {
        unsafe storage.value(key, isCarried: false, toCopy: toCopy)
    }

    /// Where the value stands that was carried over from the record that this one replaced, if there is one; as long as
    /// somebody has the record.
    @unsafe package func carried(_ key: ObjectIdentifier) -> UnsafeRawPointer? {
        unsafe storage.value(key, isCarried: true)
    }

    /// Keeps a value that was made of this record, so that it is made once. It goes with the record.
    /// - Returns: where it stands, and true; where another thread has kept one before, where that stands, and false.
    @unsafe package func keep(
        _ value: consuming some KeptOnRecord, _ key: ObjectIdentifier
    ) -> (place: UnsafeRawPointer, isFirst: Bool) {
        let isFirst = storage.keep(RecordView.make(value, key, isCarried: false))
        guard let place = unsafe kept(key) else { preconditionFailure("a view that was kept is gone") }
        return unsafe (place, isFirst)
    }

    /// Gives a record that is about to replace this one, and that nobody else sees yet, the values to be carried over.
    @inline(__always)
    package func carryViews(to new: CellRecord) { storage.carryViews(to: new.storage) }
}

/// What stands before the value of a ``RecordView``.
private struct RecordViewHeader {
    /// What the value is found by. A list has one view of a key, and one that was carried.
    let key: ObjectIdentifier
    /// The type of the value.
    let kind: any KeptOnRecord.Type
    /// The view that was first before this one, as ``RecordStorage/IdentityWord`` has it, which owns a count of it; a
    /// word without the mark for none. Set before the view is put into a list, by the one thread that has it then.
    var next: UInt = 0
    /// The hash of the record's id, whose place in the record this takes. Set as `next` is.
    var idHash: UInt64 = 0
    /// Which words of the value look like references, of the first 64; a guess, for asking for memory ahead.
    var references: UInt64 = 0
    /// Where the value stands behind the object's address.
    var valueOffset: UInt16 = 0
    /// It was not made of this record, but carried over from the one that this replaced.
    let isCarried: Bool
}

/// A value that is kept on a record, behind its header.
///
/// The views of a record are a list that only grows, at its head, until the record goes, and they with it. So whoever
/// has the record may walk the list without a lock and without counting: nothing in it changes or goes meanwhile. The
/// value stands behind the header and not in a property, so that a reader is lent it where it is.
private final class RecordView: ManagedBuffer<RecordViewHeader, UInt8> {
    static func make<Value: KeptOnRecord>(
        _ value: consuming Value, _ key: ObjectIdentifier, isCarried: Bool
    ) -> RecordView {
        let room = MemoryLayout<Value>.size + MemoryLayout<Value>.alignment - 1
        let buffer = RecordView.create(minimumCapacity: room) { _ in
            RecordViewHeader(key: key, kind: Value.self, isCarried: isCarried)
        }
        // `create` on a subclass returns an instance of that subclass.
        let view = unsafe unsafeDowncast(buffer, to: RecordView.self)
        let own = unsafe Unmanaged.passUnretained(view).toOpaque()
        let place = unsafe view.withUnsafeMutablePointerToElements { elements in
            unsafe UnsafeMutableRawPointer(elements).alignedUp(for: Value.self)
        }
        unsafe place.initializeMemory(as: Value.self, to: value)
        unsafe view.head.pointee.valueOffset = UInt16(place - own)
        unsafe view.head.pointee.references = references(in: place, MemoryLayout<Value>.size)
        return view
    }

    deinit {
        destroy(unsafe head.pointee.kind)
        RecordStorage.release(unsafe head.pointee.next)
    }

    private func destroy<Value: KeptOnRecord>(_ kind: Value.Type) {
        // What was initialised in `make`, where `kind` is from.
        unsafe _ = value.assumingMemoryBound(to: kind).deinitialize(count: 1)
    }

    /// Where the header stands.
    var head: UnsafeMutablePointer<RecordViewHeader> {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToHeader { unsafe $0 } }
    }

    /// Where the value stands.
    var value: UnsafeMutableRawPointer {
        @inline(__always)
        get { unsafe Unmanaged.passUnretained(self).toOpaque() + Int(head.pointee.valueOffset) }
    }

    /// A new view for the record that replaces this one; nil for none.
    func carried() -> RecordView? { carried(unsafe head.pointee.kind) }

    private func carried<Value: KeptOnRecord>(_ kind: Value.Type) -> RecordView? {
        let carried = unsafe value.assumingMemoryBound(to: kind).pointee.carried()
        return carried.map { RecordView.make($0, unsafe head.pointee.key, isCarried: true) }
    }

    /// The words that look like references: their addresses are not far from the value's own.
    private static func references(in value: UnsafeMutableRawPointer, _ byteCount: Int) -> UInt64 {
        var found: UInt64 = 0
        for word in 0..<min(byteCount / 8, 64)
        where unsafe isNear(address(value, word), UInt64(UInt(bitPattern: value))) {
            found |= 1 << UInt64(word)
        }
        return found
    }

    private static func isNear(_ address: UInt64, _ other: UInt64) -> Bool { address &>> 36 == other &>> 36 }

    /// A word of the value without the bits in which Swift keeps other things than an address.
    @inline(__always)
    private static func address(_ bytes: UnsafeRawPointer, _ word: Int) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: word &* 8, as: UInt64.self) & 0x00FF_FFFF_FFFF_FFF8
    }

    /// Asks for the memory of all that the value refers to: a copy counts each, and an atomic operation lets nothing
    /// behind it begin, so they would come one after the other.
    @inline(__always)
    static func prefetch(_ references: UInt64, of bytes: UnsafeRawPointer) {
        var left = references
        while left != 0 {
            // Any address may be asked for.
            unsafe cprefetch(UnsafeRawPointer(bitPattern: UInt(address(bytes, left.trailingZeroBitCount))))
            left &= left &- 1
        }
    }
}

extension RecordStorage {
    @inline(__always)
    fileprivate func value(_ key: ObjectIdentifier, isCarried: Bool, toCopy: Bool = false) -> UnsafeRawPointer? {
        guard let view = unsafe view(key, isCarried: isCarried) else { return nil }
        return unsafe view._withUnsafeGuaranteedRef { view in
            let value = unsafe UnsafeRawPointer(view.value)
            if toCopy { unsafe RecordView.prefetch(view.head.pointee.references, of: value) }
            return unsafe value
        }
    }

    @inline(__always)
    private func view(_ key: ObjectIdentifier, isCarried: Bool) -> Unmanaged<RecordView>? {
        var word = withIdentity { $0.load(ordering: .acquiring) }
        while let view = unsafe RecordStorage.view(word) {
            let (isFound, next) = unsafe view._withUnsafeGuaranteedRef { view in
                let head = unsafe view.head
                return unsafe (head.pointee.key == key && head.pointee.isCarried == isCarried, head.pointee.next)
            }
            if isFound { return unsafe view }
            word = next
        }
        return nil
    }

    /// Adds a view, unless there is one of its type.
    /// - Returns: it was added.
    fileprivate func keep(_ view: RecordView) -> Bool {
        let head = unsafe view.head
        let (key, isCarried) = unsafe (head.pointee.key, head.pointee.isCarried)
        unsafe head.pointee.idHash = idHash
        var first = withIdentity { $0.load(ordering: .acquiring) }
        while unsafe self.view(key, isCarried: isCarried) == nil {
            // The list owns a count of each view: the word that of the first, each view that of the next. The word's
            // count of what was the first goes over to this view.
            unsafe head.pointee.next = first
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(view).toOpaque())
            let expected = first
            let (exchanged, found) = withIdentity {
                $0.compareExchange(
                    expected: expected, desired: address | UInt(RecordStorage.viewMark),
                    successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
            }
            if exchanged {
                _ = unsafe Unmanaged.passRetained(view)
                return true
            }
            first = found
        }
        // It owns nothing that it has not been given.
        unsafe head.pointee.next = 0
        return false
    }

    /// See ``CellRecord/carryViews(to:)``.
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
        var word = withIdentity { $0.load(ordering: .acquiring) }
        while let view = unsafe RecordStorage.view(word) {
            unsafe view._withUnsafeGuaranteedRef { view in
                word = unsafe view.head.pointee.next
                let key = unsafe view.head.pointee.key
                // Those that were made of this record stand before those that came with it.
                guard !seen.contains(key), let carried = view.carried() else { return }
                seen.append(key)
                _ = new.keep(carried)
            }
        }
    }

    /// Asks for the first view, of which most models fill four lines.
    @inline(__always)
    func prefetchViews() {
        let word = withIdentity { $0.load(ordering: .relaxed) }
        guard UInt64(word) & RecordStorage.viewMark != 0 else { return }
        for line in 0..<4 as Range<UInt> {
            unsafe cprefetch(UnsafeRawPointer(bitPattern: (word &- UInt(RecordStorage.viewMark)) &+ line &* 64))
        }
    }

    /// Ends the list. Only when the storage goes.
    func releaseViews() { RecordStorage.release(withIdentity { $0.load(ordering: .acquiring) }) }

    /// The hash of the id, where the word has a view.
    @inline(never)
    func hashOfViews(_ word: UInt64) -> UInt64 {
        guard let view = unsafe RecordStorage.view(UInt(word)) else { return word }
        return unsafe view._withUnsafeGuaranteedRef { unsafe $0.head.pointee.idHash }
    }

    /// The view that the word tells of, not counted; nil where it has a hash. The list that it is in must be alive.
    @inline(__always)
    private static func view(_ word: UInt) -> Unmanaged<RecordView>? {
        let mark = UInt(viewMark)
        guard word & mark != 0, let pointer = unsafe UnsafeRawPointer(bitPattern: word & ~mark) else { return nil }
        return unsafe .fromOpaque(pointer)
    }

    /// Gives up the count that a word owned.
    fileprivate static func release(_ word: UInt) { unsafe view(word)?.release() }
}
