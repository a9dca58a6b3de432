/// Something worth a line in the log, with what it is about.
public struct Notice: Sendable, CustomStringConvertible {
    /// The subject of a notice; the raw value is the text for the log.
    public enum Kind: String, Sendable {
        case streamsStale = "streams have become stale"
        case streamsFresh = "streams are fresh again"
        case senderLive = "sender is live"
        case senderSilent = "sender has gone silent"
        case senderStopped = "sender has stopped in good order"
        case senderRefused = "sender refused a request"
        case versionMismatch = "sender speaks another protocol version"
        case holeFound = "hole found"
        case holeMended = "hole mended"
        case newIncarnation = "origin has started anew"
        case incarnationConflict = "two processes publish under one name"
        case digestMismatch = "digests differ at equal heads"
        case malformed = "malformed frame dropped"
        case unreadable = "the answer of a sender cannot be read, so it is not live"
        case clockRejected = "batch from the future rejected"
        case clockAccepted = "stamps of this origin are accepted again"
        case clockAhead = "the stamps of this publisher lie ahead of its clock"
        case clockRenewed = "nobody took stamps that lay ahead: they were written anew"
        case ownReflection = "a relay is connected to itself"
        case laterStart = "a later start of this origin is known to others"
        case pushFailed = "a relay does not take what is pushed"
        case incompleteTransactions = "transactions became visible without all their parts"
        case quarantined = "batch left out: malformed also when sent again"
        case unstaged = "snapshot too large to become visible in one step"
        case unsendable = "a field does not fit into a message: nobody gets it by a snapshot"
        case cutClients = "peers that take no answers were disconnected"
        case streamsRefused = "more streams than can be followed"
        case denied = "a sender speaks for an origin that its key was not granted"
        case unsigned = "something was dropped that its origin has not signed"
        case notAsSigned = "the copy here is not what its origin has signed"
        case olderThanSigned = "the copy here holds what is older than what its origin signs"
        case unconfirmedCopy = "a copy cannot be held against what its origin signs"
        case nameTaken = "a name was taken by pushing"
        case limited = "a key is at a limit of its grant"
        case deniedPush = "a push was denied, as its key was not granted that"
        case contradictedHeads = "a sender says of another origin what is not so"
        case fetchOverrun = "a sender answers a fetch with more than an answer can have"
        case startingAnew = "building the state anew"
        case startedAnew = "the state was built anew"
        case leasesEnded = "the leases of models have ended, as their publisher is not heard of"
        case leasesReturned = "leased models are back"
        case irreparable = "digests differ after all repairs"
    }

    /// The subject of the notice.
    public let kind: Kind
    /// The sender, origin, topic, sequence, reason and the like, by their names in the protocol.
    public let metadata: [String: String]

    /// The kind, and the metadata sorted by key, in one line.
    public var description: String {
        let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(kind.rawValue): \(details.joined(separator: " "))"
    }
}
