import ModelRecord

/// An observer of a single model in a lane.
struct SharedInboxMember: Sendable {
    typealias Handler = @Sendable (ChangeSet) -> Void

    /// Nil once the observation was cancelled.
    var handler: Handler?
    let id: String
    let table: TypeTable
    /// The last commit before the registration. The member is told of later commits only.
    let since: UInt64
    /// The first state, until it has been told.
    var initial: CellRecord?

    /// The mixed hash of the model.
    var hash: UInt64 { SlotArray.hash(idHash: Fingerprint.fnv(id)) }
}

/// The members of a lane by number. When a member has left, its number is given to another one.
///
/// A change that waits for a member that has left stands beside a number that may be another's by then. The new member
/// is not told it: the change belongs to a commit before the new registration, as later commits do not find a member
/// that has left. A first state that waits for a member that has left is skipped, or tells the new member's first state
/// earlier.
struct SharedInboxMembers {
    /// All chunks but the first have their full capacity from the start, so that nothing is moved when there are many
    /// members.
    private var chunks: [[SharedInboxMember]] = []
    private var free: [UInt32] = []
    /// How many numbers there are, free ones included: the greatest number of members at one time.
    private(set) var numberCount = 0

    private static let chunkCount = 1024

    private static func place(_ number: UInt32) -> (chunk: Int, index: Int) {
        (Int(number) / chunkCount, Int(number) % chunkCount)
    }

    /// - Returns: the member's number.
    mutating func add(_ member: SharedInboxMember) -> UInt32 {
        if let number = free.popLast() {
            let place = SharedInboxMembers.place(number)
            chunks[place.chunk][place.index] = member
            return number
        }
        if numberCount == chunks.count * SharedInboxMembers.chunkCount {
            var chunk: [SharedInboxMember] = []
            if numberCount > 0 { chunk.reserveCapacity(SharedInboxMembers.chunkCount) }
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(member)
        numberCount += 1
        return UInt32(numberCount - 1)
    }

    /// Removes a member.
    /// - Returns: the member as it was; nil where it has left already.
    mutating func remove(_ number: UInt32) -> SharedInboxMember? {
        let place = SharedInboxMembers.place(number)
        let member = chunks[place.chunk][place.index]
        guard member.handler != nil else { return nil }
        chunks[place.chunk][place.index].handler = nil
        chunks[place.chunk][place.index].initial = nil
        free.append(number)
        return member
    }

    /// The id that the member observes.
    func id(of number: UInt32) -> String {
        let place = SharedInboxMembers.place(number)
        return chunks[place.chunk][place.index].id
    }

    /// The member's handler and its first state, once; nil where nothing is left to tell.
    mutating func takeInitial(_ number: UInt32) -> (handler: SharedInboxMember.Handler, set: ChangeSet)? {
        let place = SharedInboxMembers.place(number)
        let member = chunks[place.chunk][place.index]
        guard let handler = member.handler, let record = member.initial else { return nil }
        chunks[place.chunk][place.index].initial = nil
        let entry = ChangeEntry(old: nil, new: record)
        let section = ChangeSection(type: member.table.name, entries: [entry], commitNumber: member.since)
        return (handler, ChangeSet(section, isInitial: true, commitNumber: member.since))
    }

    /// The handler that is told a change; nil where the change was for a member that has left, or is of another id with
    /// the same hash.
    func handler(of section: ChangeSection, at position: Int) -> SharedInboxMember.Handler? {
        let place = SharedInboxMembers.place(section.seat(at: position).number)
        guard section.commitNumber(at: position) > chunks[place.chunk][place.index].since,
            // Another id may have the same hash.
            section.hasID(chunks[place.chunk][place.index].id, at: position)
        else { return nil }
        return chunks[place.chunk][place.index].handler
    }
}
