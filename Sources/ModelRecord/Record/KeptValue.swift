import CPrefetch
import Synchronization

extension CellRecord {
    /// The address of the value that was made of this record and kept under `key`, if there is one. The value never
    /// changes, and stays at the address as long as somebody holds the record.
    /// - Parameters:
    ///   - key: any type; each key goes with one type of values.
    ///   - toCopy: the caller is about to copy the value, so the memory that it refers to is prefetched.
    /// - Complexity: O(*values that are kept*)
    @inline(__always)
    @unsafe package func kept(_ key: ObjectIdentifier, toCopy: Bool = false) -> UnsafeRawPointer? {
        unsafe storage.value(key, isCarried: false, toCopy: toCopy)
    }

    /// The address of the value that was carried over from the record that this one replaced, if there is one; valid as
    /// long as somebody holds the record.
    @unsafe package func carried(_ key: ObjectIdentifier) -> UnsafeRawPointer? {
        unsafe storage.value(key, isCarried: true)
    }

    /// The address of the value under `key`, be it made of this record or carried over to it.
    @unsafe package func keptOrCarried(_ key: ObjectIdentifier) -> UnsafeRawPointer? {
        unsafe kept(key) ?? carried(key)
    }

    /// Keeps a value that was made of this record, so that it is made once. The value lives as long as the record.
    /// - Returns: the address of the value, and true; if another thread has kept one under `key` before, the address of
    ///   that one, and false.
    @unsafe package func keep(
        _ value: consuming some KeptOnRecord, _ key: ObjectIdentifier
    ) -> (place: UnsafeRawPointer, isFirst: Bool) {
        let isFirst = storage.keep(KeptValue.make(value, key, isCarried: false))
        guard let place = unsafe kept(key) else { preconditionFailure("a view that was kept is gone") }
        return unsafe (place, isFirst)
    }

    /// Carries values over to a record that is about to replace this one, and that nobody else sees yet.
    @inline(__always)
    package func carryViews(to new: CellRecord) { storage.carryViews(to: new.storage) }
}

/// The header of a ``KeptValue``, in front of its value.
private struct KeptValueHeader {
    /// The key by which the value is found. A list has at most one view that was made for a key, and one that was
    /// carried.
    let key: ObjectIdentifier
    /// The type of the value.
    let kind: any KeptOnRecord.Type
    /// The next view of the list, as a word like ``RecordStorage/IdentityWord``, which owns a count of it; a word
    /// without the mark ends the list. Set by the one thread that has this view, before the view is put into a list.
    var next: UInt = 0
    /// The hash of the record's id, whose place in the record this view takes. Set as `next` is.
    var idHash: UInt64 = 0
    /// The words of the value, among the first 64, that look like references; a guess, for prefetching.
    var references: UInt64 = 0
    /// The offset of the value from the address of the object.
    var valueOffset: UInt16 = 0
    /// True when the value was carried over from the record that this one replaced.
    let isCarried: Bool
}

/// A value that is kept on a record, behind its header.
///
/// The views of a record are a list. It grows only at its head, until the record is freed, and the views with it. So
/// any holder of the record may walk the list without a lock and without counting references: no view changes or is
/// freed meanwhile. The value stands behind the header, not in a property, so that a reader is lent it in place.
private final class KeptValue: ManagedBuffer<KeptValueHeader, UInt8> {
    static func make<Value: KeptOnRecord>(
        _ value: consuming Value, _ key: ObjectIdentifier, isCarried: Bool
    ) -> KeptValue {
        let room = MemoryLayout<Value>.size + MemoryLayout<Value>.alignment - 1
        let buffer = KeptValue.create(minimumCapacity: room) { _ in
            KeptValueHeader(key: key, kind: Value.self, isCarried: isCarried)
        }
        // `create` on a subclass returns an instance of that subclass.
        let view = unsafe unsafeDowncast(buffer, to: KeptValue.self)
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
        // `make` has initialised the value, and noted `kind`.
        unsafe _ = value.assumingMemoryBound(to: kind).deinitialize(count: 1)
    }

    /// The address of the header.
    var head: UnsafeMutablePointer<KeptValueHeader> {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToHeader { unsafe $0 } }
    }

    /// The address of the value.
    var value: UnsafeMutableRawPointer {
        @inline(__always)
        get { unsafe Unmanaged.passUnretained(self).toOpaque() + Int(head.pointee.valueOffset) }
    }

    /// A new view for the record that replaces this one; nil for none.
    func carried() -> KeptValue? { carried(unsafe head.pointee.kind) }

    /// See ``KeptOnRecord/superseded``.
    var superseded: ObjectIdentifier? { superseded(unsafe head.pointee.kind) }

    private func superseded<Value: KeptOnRecord>(_ kind: Value.Type) -> ObjectIdentifier? {
        unsafe value.assumingMemoryBound(to: kind).pointee.superseded
    }

    private func carried<Value: KeptOnRecord>(_ kind: Value.Type) -> KeptValue? {
        let carried = unsafe value.assumingMemoryBound(to: kind).pointee.carried()
        return carried.map { KeptValue.make($0, unsafe head.pointee.key, isCarried: true) }
    }

    /// The words that look like references: addresses that are not far from that of the value itself.
    private static func references(in value: UnsafeMutableRawPointer, _ byteCount: Int) -> UInt64 {
        var found: UInt64 = 0
        for word in 0..<min(byteCount / 8, 64)
        where unsafe isNear(address(value, word), UInt64(UInt(bitPattern: value))) {
            found |= 1 << UInt64(word)
        }
        return found
    }

    private static func isNear(_ address: UInt64, _ other: UInt64) -> Bool { address &>> 36 == other &>> 36 }

    /// A word of the value, without the bits in which Swift keeps more than an address.
    @inline(__always)
    private static func address(_ bytes: UnsafeRawPointer, _ word: Int) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: word &* 8, as: UInt64.self) & 0x00FF_FFFF_FFFF_FFF8
    }

    /// Prefetches the memory that the value refers to. A copy of the value counts each reference by an atomic
    /// operation, which lets no later load begin, so the cache misses would come one after the other.
    @inline(__always)
    static func prefetch(_ references: UInt64, of bytes: UnsafeRawPointer) {
        var left = references
        while left != 0 {
            // A prefetch of any address is harmless.
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
            if toCopy { unsafe KeptValue.prefetch(view.head.pointee.references, of: value) }
            return unsafe value
        }
    }

    @inline(__always)
    private func view(_ key: ObjectIdentifier, isCarried: Bool) -> Unmanaged<KeptValue>? {
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

    /// Adds a view, unless the list has one of its key and kind.
    /// - Returns: true when the view was added.
    fileprivate func keep(_ view: KeptValue) -> Bool {
        let head = unsafe view.head
        let (key, isCarried) = unsafe (head.pointee.key, head.pointee.isCarried)
        unsafe head.pointee.idHash = idHash
        var first = withIdentity { $0.load(ordering: .acquiring) }
        while unsafe self.view(key, isCarried: isCarried) == nil {
            // The list owns a count of each view: the word owns that of the first, each view that of the next. The
            // word's count of the former first view passes to this view.
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
        // The view was not added, so it owns no count of a next one.
        unsafe head.pointee.next = 0
        return false
    }

    /// See ``CellRecord/carryViews(to:)``.
    @inline(__always)
    func carryViews(to new: RecordStorage) {
        // Relaxed: a view that is added meanwhile may be missed, as if it had been added a moment later.
        let first = withIdentity { $0.load(ordering: .relaxed) }
        guard UInt64(first) & RecordStorage.viewMark != 0, new.packed.isPresent else { return }
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
                // Views that were made of this record stand before those that were carried to it.
                guard !seen.contains(key), let carried = view.carried() else { return }
                seen.append(key)
                // One that was only carried here tells nothing of this record.
                if unsafe !view.head.pointee.isCarried, let superseded = view.superseded { seen.append(superseded) }
                _ = new.keep(carried)
            }
        }
    }

    /// Prefetches the first view; most models fill four cache lines.
    @inline(__always)
    func prefetchViews() {
        let word = withIdentity { $0.load(ordering: .relaxed) }
        guard UInt64(word) & RecordStorage.viewMark != 0 else { return }
        for line in 0..<4 as Range<UInt> {
            unsafe cprefetch(UnsafeRawPointer(bitPattern: (word &- UInt(RecordStorage.viewMark)) &+ line &* 64))
        }
    }

    /// Releases the views; called only when the storage is freed.
    func releaseViews() { RecordStorage.release(withIdentity { $0.load(ordering: .acquiring) }) }

    /// The hash of the id, from the first view if the word is the address of one.
    @inline(never)
    func hashOfViews(_ word: UInt64) -> UInt64 {
        guard let view = unsafe RecordStorage.view(UInt(word)) else { return word }
        return unsafe view._withUnsafeGuaranteedRef { unsafe $0.head.pointee.idHash }
    }

    /// The view at the address in `word`, not counted; nil when the word is a hash. The caller keeps the list of the
    /// view alive.
    @inline(__always)
    private static func view(_ word: UInt) -> Unmanaged<KeptValue>? {
        let mark = UInt(viewMark)
        guard word & mark != 0, let pointer = unsafe UnsafeRawPointer(bitPattern: word & ~mark) else { return nil }
        return unsafe .fromOpaque(pointer)
    }

    /// Releases the count that `word` owns, if it is the address of a view.
    fileprivate static func release(_ word: UInt) { unsafe view(word)?.release() }
}
