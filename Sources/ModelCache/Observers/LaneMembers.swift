import ModelRecord

/// An observer of a single model in a lane.
struct LaneMember: Sendable {
    typealias Handler = @Sendable (ChangeSet) -> Void

    /// Nil once it was cancelled.
    var handler: Handler?
    let id: String
    let table: TypeTable
    /// The commit at its registration: it is told of later ones only.
    let since: UInt64
    /// What it is told first, until it has been.
    var initial: CellRecord?

    /// The mixed hash of the model.
    var hash: UInt64 { SlotArray.hash(idHash: Fingerprint.fnv(id)) }
}

/// The members of a lane by number. A number is given anew when its member has left.
///
/// What waits for one who has left stands beside a number that is another's by then, and is not told to that one: it is
/// of a commit before his registration, as whoever has left is not found by a later one. A first state that waits for
/// one who has left is a turn for the next one's, should he have one.
struct LaneMembers {
    /// Of equal size, but for the first, so that nothing is moved when there are many.
    private var chunks: [[LaneMember]] = []
    private var free: [UInt32] = []
    /// As many numbers were given at once.
    private(set) var numberCount = 0

    private static let chunkCount = 1024

    private static func place(_ number: UInt32) -> (chunk: Int, index: Int) {
        (Int(number) / chunkCount, Int(number) % chunkCount)
    }

    /// - Returns: its number.
    mutating func add(_ member: LaneMember) -> UInt32 {
        if let number = free.popLast() {
            let place = LaneMembers.place(number)
            chunks[place.chunk][place.index] = member
            return number
        }
        if numberCount == chunks.count * LaneMembers.chunkCount {
            var chunk: [LaneMember] = []
            if numberCount > 0 { chunk.reserveCapacity(LaneMembers.chunkCount) }
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(member)
        numberCount += 1
        return UInt32(numberCount - 1)
    }

    /// - Returns: the member as it was; nil where it has left already.
    mutating func remove(_ number: UInt32) -> LaneMember? {
        let place = LaneMembers.place(number)
        let member = chunks[place.chunk][place.index]
        guard member.handler != nil else { return nil }
        chunks[place.chunk][place.index].handler = nil
        chunks[place.chunk][place.index].initial = nil
        free.append(number)
        return member
    }

    /// The id that the member observes.
    func id(of number: UInt32) -> String {
        let place = LaneMembers.place(number)
        return chunks[place.chunk][place.index].id
    }

    /// What the member is to be told first, once.
    mutating func takeInitial(_ number: UInt32) -> (handler: LaneMember.Handler, set: ChangeSet)? {
        let place = LaneMembers.place(number)
        let member = chunks[place.chunk][place.index]
        guard let handler = member.handler, let record = member.initial else { return nil }
        chunks[place.chunk][place.index].initial = nil
        let entry = ChangeEntry(old: nil, new: record)
        let section = ChangeSection(type: member.table.name, entries: [entry], commitNumber: member.since)
        return (handler, ChangeSet(section, isInitial: true, commitNumber: member.since))
    }

    /// Whom a change is to be told; nil where it was for one who has left.
    func handler(of section: ChangeSection, at position: Int) -> LaneMember.Handler? {
        let place = LaneMembers.place(section.seat(at: position).number)
        guard section.commitNumber(at: position) > chunks[place.chunk][place.index].since,
            // Another id may have the same hash.
            section.hasID(chunks[place.chunk][place.index].id, at: position)
        else { return nil }
        return chunks[place.chunk][place.index].handler
    }
}
