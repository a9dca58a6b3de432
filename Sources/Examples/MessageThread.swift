import Modelcast
import ModelcastMacros

// example: message-thread-models
@Model struct Person {
    @ID let id: String
    var name: String
}

@Model struct Conversation {
    @ID let id: String
    var title: String
    var members: [Reference<Person>]
}
// end example

/// A member leaves a thread while another process shows it: nobody blocks the wrong person.
enum MessageThread: Story {
    static let name = "message-thread"

    // example: message-thread-write
    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws {
        let people = [Person(id: "1", name: "Ada"), Person(id: "2", name: "Bob"), Person(id: "3", name: "Cleo")]
        try publisher.transaction { writes in
            for person in people { try writes.merge(person) }
            let members = people.map { Reference(to: $0) }
            try writes.merge(Conversation(id: "t", title: "Engines", members: members))
        }
        try await reader.says("Engines: Ada, Bob, Cleo")
        try publisher.update(Conversation.self, "t") { $0.members.removeFirst() }
        try await reader.says("Ada has left, so the second is Cleo now")
        try await reader.says("the second of those that were shown is blocked: Bob")
    }
    // end example

    // example: message-thread-read
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws {
        var changes = subscriber.models(Conversation.self, "t").stream().makeAsyncIterator()
        _ = await changes.next()
        // What the screen shows is one cut, which does not change while somebody looks at it.
        let shown = subscriber.snapshot()
        guard let thread = shown[lastGood: Conversation.self, "t"] else { return }
        say("\(thread.title): \(thread.members.compactMap { shown[lastGood: $0]?.name }.joined(separator: ", "))")

        _ = await changes.next()
        guard let now = subscriber[lastGood: Conversation.self, "t"],
            let second = subscriber[lastGood: now.members[1]]
        else {
            return
        }
        say("Ada has left, so the second is \(second.name) now")
        // A tap on the second row means the row that was shown.
        if let tapped = shown[lastGood: thread.members[1]] {
            say("the second of those that were shown is blocked: \(tapped.name)")
        }
    }
    // end example
}
