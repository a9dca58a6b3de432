import Dispatch
import Foundation
import Modelcast
import ModelcastMacros

// example: shown-twice-models
/// What the accounts service knows.
@Model struct User {
    @ID let id: String
    @Field("nick_name") var nickName: String
    var age: Int?
    var homepage: URL?
}

/// What a card shows of it.
@Model("User") struct UserCard {
    @ID let id: String
    @Field("nick_name") var title: String
    @Field("homepage") var link: URL?
}

/// What a row of a list shows of it.
@Model("User") struct UserRow {
    @ID let id: String
    @Field("nick_name") var label: String
    var age: Int?
}
// end example

/// One user under different names, on a card and in a list.
enum ShownTwice: Story {
    static let name = "shown-twice"

    // example: shown-twice-write
    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws {
        try publisher.merge(User(id: "1", nickName: "Ada", age: 36, homepage: URL(string: "https://example.org")))
        try await reader.says("card: Ada, https://example.org", "row: Ada, 36")
        try publisher.update(User.self, "1") { $0.nickName = "Ada L." }
        try await reader.says("card: Ada L., https://example.org", "row: Ada L., 36")
        // The card shows no age, so it is not told.
        try publisher.update(User.self, "1") { $0.age = 37 }
        try await reader.says("row: Ada L., 37")
    }
    // end example

    // example: shown-twice-read
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws {
        let screen = DispatchQueue(label: "screen")
        let isDone = AsyncStream<Void>.makeStream()
        let observations = ObservationBag()
        observations.add(
            subscriber.models(UserCard.self, "1").changes(of: \.title, \.link).observe(on: screen) { changes in
                guard let card = changes.last?.new else { return }
                say("card: \(card.title), \(card.link?.absoluteString ?? "no link")")
            })
        observations.add(
            subscriber.models(UserRow.self, "1").changes(of: \.label, \.age).observe(on: screen) { changes in
                guard let row = changes.last?.new else { return }
                say("row: \(row.label), \(row.age.map { "\($0)" } ?? "no age")")
                if row.age == 37 { isDone.continuation.finish() }
            })
        for await _ in isDone.stream {}
        observations.removeAll()
    }
    // end example
}
