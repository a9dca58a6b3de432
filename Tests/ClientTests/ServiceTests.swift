import Modelcast
import ModelcastMacros
import ModelcastTesting
import Testing

// What the article "Testing your code" quotes.

// example: overdrafts
@Model struct Account {
    @ID let id: String
    var owner: String?
    var balance: Int?
}

/// The accounts that owe something, as a service shows them.
struct Overdrafts {
    let accounts: Subscriber

    /// Their owners, by name; nil while the copy may be out of date.
    func owners() -> [String]? {
        guard accounts.status.isLive else { return nil }
        return accounts.snapshot().all(lastGood: Account.self)
            .filter { ($0.balance ?? 0) < 0 }.compactMap(\.owner).sorted()
    }
}
// end example

// example: overdraft-tests
@Suite struct OverdraftTests {
    @Test func `who owes something is shown, and nobody else`() async throws {
        try await withPair { publisher, subscriber, network in
            _ = try publisher.merge(Account(id: "1", owner: "Anna", balance: -3))
            _ = try publisher.merge(Account(id: "2", owner: "Ben", balance: 10))
            try await network.settle()
            #expect(Overdrafts(accounts: subscriber).owners() == ["Anna"])
        }
    }

    @Test func `nothing is shown as true while the publisher cannot be heard`() async throws {
        try await withPair { publisher, subscriber, network in
            _ = try publisher.merge(Account(id: "1", owner: "Anna", balance: -3))
            try await network.settle()
            try network.cut(from: "publisher", to: "subscriber")
            try await network.advance(by: .seconds(5))
            #expect(Overdrafts(accounts: subscriber).owners() == nil)
            try network.mend(from: "publisher", to: "subscriber")
            try await network.settle()
            #expect(Overdrafts(accounts: subscriber).owners() == ["Anna"])
        }
    }

    @Test func `an observer is told once of each account that changes, though batches are lost`() async throws {
        try await withNetwork { network in
            let bank = try await network.publisher("bank")
            let shop = try network.subscriber("shop", of: ["bank"])
            let recorder = ChangeRecorder(of: shop.models(Account.self).changes(of: \.balance))
            try network.lose(2, from: "bank", to: "shop")
            for balance in [5, -1] {
                _ = try bank.merge(Account(id: "1", owner: "Anna", balance: balance))
                try await network.settle()
            }
            #expect(recorder.take().last?.new?.balance == -1)
            #expect(recorder.take().isEmpty)
        }
    }
}
// end example
