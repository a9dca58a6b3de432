import ModelRecord
import ModelWire
import TestSupport
import ZeroMQ

@testable import ModelSync
@testable import Modelcast

/// Asks a sender by every method, under every key, for every type, and holds each answer against the words of the
/// key's grant. Belongs to one thread.
struct RightsMatrix {
    let world: RightsWorld
    let context: Context
    /// How many answers were held against a grant.
    private(set) var cellCount = 0
    /// The answers that should have been others.
    private(set) var faults: [String] = []
    var generator: SeededGenerator

    /// A question, and the answer that the grant wants.
    private struct Question {
        let method: String
        let type: String
        let expected: Answer
        let request: (UInt64) -> ControlRequest
    }

    /// What has come in answer to a question.
    enum Answer: Equatable {
        /// The ids of the records, by type.
        case records([String: Set<String>])
        case digests([UInt64])
        /// The types of the batches of a replay.
        case batches([String])
        case accepted
        case refused(ControlErrorCode)
        case other(String)

        init(_ replies: [ControlReply]) {
            var (records, batches): ([String: Set<String>], [String]) = ([:], [])
            for reply in replies {
                switch reply {
                case .records(_, let type, let some): records[type, default: []].formUnion(some.map(\.id))
                case .frame(_, let topic, _): batches.append(topic.type ?? "\(topic)")
                default: continue
                }
            }
            self =
                switch replies.last {
                case .complete: batches.isEmpty ? .records(records) : .batches(batches)
                case .digests(_, _, let digests): .digests(digests)
                case .accepted: .accepted
                case .error(_, let code, _): .refused(code)
                default: .other("\(replies)")
                }
        }
    }

    init(_ world: RightsWorld) throws {
        (self.world, generator) = (world, world.generator)
        context = try Context()
    }

    /// Holds one answer against the grant.
    mutating func check<T: Equatable>(
        _ grant: WrittenGrant, _ method: String, _ type: String, _ found: T, _ expected: T
    ) {
        cellCount += 1
        guard found != expected else { return }
        faults.append(
            "seed \(world.seed), grant \(grant.words): \(method) of \(type) brings \(found), and should \(expected)")
    }

    func client(of sender: AskedSender, _ grant: WrittenGrant) throws -> KeyedClient {
        try KeyedClient(sender.control, as: grant.keys, of: world.server.publicKey, in: context)
    }

    // MARK: Reading

    /// Asks everything that changes nothing.
    mutating func read(_ sender: AskedSender, as grant: WrittenGrant) throws {
        var client = try client(of: sender, grant)
        try greet(sender, as: grant, by: &client)
        try copy(sender, as: grant, by: &client)
        var questions = RightsWorld.types.flatMap { looks(at: $0, sender, grant) }
        questions += RightsWorld.types.flatMap { replays(of: $0, sender, grant) }
        let fine = RightsWorld.types.map { digest($0, bits: 9, sender, grant) }.shuffled(using: &generator)
        // Four fine digests at once are what a connection has.
        try ask(questions + fine.prefix(4), sender, grant, by: &client)
        var second = try self.client(of: sender, grant)
        try ask(Array(fine.dropFirst(4).prefix(4)), sender, grant, by: &second)
    }

    /// What the greeting names.
    mutating func greet(_ sender: AskedSender, as grant: WrittenGrant, by client: inout KeyedClient) throws {
        let greeting = try client.answer { .hello(rid: $0, version: 1, name: "asker", prefixes: []) }
        guard case .welcome(_, _, let name, _, _, _, let heads, let held)? = greeting.last else {
            return check(grant, "hello", "anything", Answer(greeting), .other("a welcome"))
        }
        let told = Set(heads.flatMap { $0.heads.compactMap(\.topic.type) })
        for type in RightsWorld.types {
            let isTold = grant.reads(type) && sender.holds(type)
            check(grant, "hello at \(sender.name)", type, told.contains(type), isTold)
            check(grant, "hello, types held, at \(sender.name)", type, held.contains(type), isTold)
        }
        for origin in RightsWorld.origins {
            let topics = heads.first { $0.origin == origin }.map { Set($0.heads.compactMap(\.topic.type)) }
            let visible = (sender.types[origin] ?? []).filter(grant.reads)
            check(grant, "hello at \(sender.name)", "the types of \(origin)", topics, visible.isEmpty ? nil : visible)
        }
        check(grant, "hello", "the name", name, sender.name)
    }

    /// A copy of everything, in one snapshot.
    mutating func copy(
        _ sender: AskedSender, as grant: WrittenGrant, by client: inout KeyedClient
    ) throws {
        let replies = try client.answer { .snapshot(rid: $0, prefixes: [Topic.dataPrefix], credit: 64) }
        guard case .records(let copied) = Answer(replies) else {
            return check(grant, "snapshot", "everything", Answer(replies), .records([:]))
        }
        for type in RightsWorld.types {
            let ids = grant.reads(type) ? sender.ids[type] : nil
            check(grant, "snapshot of everything at \(sender.name)", type, copied[type], ids)
        }
        checkHeads(replies, sender, grant, "snapshot of everything", "everything")
    }

    /// Fetches, snapshots and digests of one type.
    private mutating func looks(at type: String, _ sender: AskedSender, _ grant: WrittenGrant) -> [Question] {
        let ids = sender.ids[type] ?? []
        let readable = grant.reads(type) && !ids.isEmpty ? [type: ids] : [:]
        func snapshot(_ what: String, _ prefixes: [String], _ found: [String: Set<String>]) -> Question {
            let topics = prefixes.map { Topic(bytes: Array($0.utf8)) }
            return Question(method: "snapshot of \(what)", type: type, expected: .records(found)) {
                .snapshot(rid: $0, prefixes: topics, credit: 64)
            }
        }
        let begun = sender.ids.filter { $0.key.hasPrefix(type) && grant.reads($0.key) }
        let buckets = "0123456789abcdef".map { "m/\(type)/\($0)" }
        return [
            snapshot("m/\(type)/", ["m/\(type)/"], readable),
            snapshot("m/\(type)", ["m/\(type)"], begun),
            snapshot("each m/\(type)/DIGIT", buckets, readable),
            Question(method: "fetch", type: type, expected: .records(readable)) {
                .fetch(rid: $0, type: type, ids: Array(ids) + ["none"])
            },
            digest(type, bits: 0, sender, grant), digest(type, bits: 4, sender, grant),
        ]
    }

    private func digest(_ type: String, bits: Int, _ sender: AskedSender, _ grant: WrittenGrant) -> Question {
        let nothing = [UInt64](repeating: 0, count: 1 << bits)
        let expected = grant.reads(type) ? sender.cache.snapshot().digests(of: type, bits: bits) : nothing
        return Question(method: "digest of \(bits) bits", type: type, expected: .digests(expected)) {
            .digest(rid: $0, type: type, bits: UInt64(bits))
        }
    }

    /// Replays of the first batch of a type, of each origin.
    private func replays(of type: String, _ sender: AskedSender, _ grant: WrittenGrant) -> [Question] {
        (RightsWorld.origins + [sender.name]).compactMap { origin in
            let holds = sender.types[origin]?.contains(type) ?? false
            let isKnown = sender.shows(origin, to: grant) && sender.types[origin] != nil
            // Names that the key should not be told are told apart from none here, which has a test of its own.
            if grant.reads(type), !isKnown, sender.types[origin] != nil { return nil }
            let expected: Answer =
                !grant.reads(type) || !isKnown
                ? .refused(.unknownOrigin) : holds ? .batches([type]) : .refused(.unknownTopic)
            let (start, topic) = (sender.starts[origin] ?? 1, sender.firstTopic(of: type))
            return Question(method: "replay as \(origin)", type: type, expected: expected) {
                .replay(rid: $0, origin: origin, incarnation: start, topic: topic, first: 1, last: 1)
            }
        }
    }

    private mutating func ask(
        _ questions: [Question], _ sender: AskedSender, _ grant: WrittenGrant, by client: inout KeyedClient
    ) throws {
        let answers = try client.answers(to: questions.map(\.request))
        for (question, replies) in zip(questions, answers) {
            let method = "\(question.method) at \(sender.name)"
            check(grant, method, question.type, Answer(replies), question.expected)
            checkHeads(replies, sender, grant, method, question.type)
        }
    }

    /// Heads go with most answers, and name nothing that may not be read.
    private mutating func checkHeads(
        _ replies: [ControlReply], _ sender: AskedSender, _ grant: WrittenGrant, _ method: String, _ type: String
    ) {
        for heads in replies.flatMap(\.heads) {
            let hidden = heads.heads.filter { !($0.topic.type.map(grant.reads) ?? false) }
            if !hidden.isEmpty || !sender.shows(heads.origin, to: grant) {
                check(grant, "the heads of \(method)", type, "\(heads)", "nothing hidden")
            }
        }
    }
}
