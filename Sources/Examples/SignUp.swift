import Foundation
import Modelcast
import ModelcastMacros

// example: sign-up-model
@Model struct Account {
    @ID let id: Int
    var email: String
    @Field(validate: .length(2...20)) var name: String
    @Constant @Field("accepted_at", convert: .iso8601) let acceptedAt: Date
    var newsletter: Bool?
}
// end example

/// A user signs up step by step: what is known is shared before it is a user.
enum SignUp: Story {
    static let name = "sign-up"

    // example: sign-up-write
    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws {
        var form = Account.Partial(id: 42)
        form.email = .value("ada@example.org")
        try publisher.merge(form)
        try await reader.says("ada@example.org, still to come: name, accepted_at")

        form.name = .value("A")
        do {
            try publisher.merge(form)
        } catch {
            print("  writer: \(error)")
        }
        form.name = .value("Ada")
        form.acceptedAt = .value(Date(timeIntervalSince1970: 1_700_000_000))
        let account = try form.complete()
        try publisher.merge(account)
        try await reader.says("welcome, Ada; newsletter not asked for yet")

        try publisher.update(Account.self, 42) { $0.newsletter = true }
        try await reader.says("welcome, Ada; newsletter: true")
    }
    // end example

    // example: sign-up-read
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws {
        for await changes in subscriber.models(Account.self, 42).stream() {
            switch changes.last?.state {
            case .current(let account)?:
                let newsletter = account.newsletter.map { ": \($0)" } ?? " not asked for yet"
                say("welcome, \(account.name); newsletter\(newsletter)")
                if account.knows(\.newsletter) { return }
            case .incomplete(let problem)?, .outdated(_, let problem)?:
                let email = subscriber.partial(of: Account.self, 42)?.email.value ?? "somebody"
                say("\(email), still to come: \(problem.problems.map(\.field).joined(separator: ", "))")
            case nil: return
            }
        }
    }
    // end example
}
