/// The types that a replica has met. They stay, as their tables do. So there is room for so many, and who makes types
/// up takes no more than a part of it.
struct TypeRoom: Sendable {
    /// The one that has brought a type first.
    enum Source: Hashable, Sendable {
        case sender(SenderID)
        /// A peer that pushes: what it may begin is bounded where it pushes.
        case pusher
        /// A caller here that asks for a model.
        case reader
    }

    /// How many types there may be in all.
    var countMax = 1 << 15
    private var types: Set<String> = []
    private var counts: [Source: Int] = [:]

    /// Where there are several senders, none brings more than this part of the types.
    private static let senderParts = 2
    /// Callers here make no more than this part by asking for models, as strangers may ask for whatever comes to mind.
    private static let readerParts = 8

    func contains(_ type: String) -> Bool { types.contains(type) }

    /// One more type may be brought.
    /// - Parameter isShared: there are several senders.
    func hasRoom(of source: Source, isShared: Bool) -> Bool {
        let parts =
            switch source {
            case .sender: isShared ? TypeRoom.senderParts : 1
            case .pusher: 1
            case .reader: TypeRoom.readerParts
            }
        return types.count < countMax && counts[source] ?? 0 < countMax / parts
    }

    /// Takes note of a type that was met.
    mutating func insert(_ type: String, of source: Source) {
        if types.insert(type).inserted { counts[source, default: 0] += 1 }
    }
}
