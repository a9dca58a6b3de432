@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelTypes
import ModelViews
import ModelWire
import ModelcastMacros
import Testing

/// What old and new processes see of each other when the fields of a model change.
@Suite struct SchemaEvolutionTests {
    private let cache = ModelCache()

    /// What a process of some form writes: merged as its publisher would.
    private func write<M: Model>(_ model: M) throws {
        try merge(M.modelType, model.id.idText, model.fields)
    }

    private func merge(_ type: String, _ id: String, _ fields: Fields) throws {
        var writer = BatchWriter()
        let stamp = Stamp((cache.snapshot().commitNumber + 1) << 16)
        try writer.append(.merge, stamp: stamp, id: id, fields: fields)
        let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        cache.commit(decoder.batch(in: frame.span), type: type)
    }

    @Model("User") struct First {
        @ID let id: Int
        var name: String
        var size: Int32 = 0
    }

    @Model("User") struct WithMore {
        @ID let id: Int
        var name: String
        var size: Int32 = 0
        var email: String?
        var language: String = "en"
    }

    @Model("User") struct WithRequired {
        @ID let id: Int
        var name: String
        var email: String
    }

    @Test func `a field that is added is kept by those who do not know it`() throws {
        try write(WithMore(id: 1, name: "Ada", email: "ada@example.org"))
        let old = try #require(cache[lastGood: First.self, 1])
        #expect(old.name == "Ada")
        try write(old.with { $0.name = "Ada L." })
        #expect(cache[lastGood: WithMore.self, 1]?.email == "ada@example.org")
        #expect(cache[lastGood: WithMore.self, 1]?.name == "Ada L.")
    }

    @Test func `a field that is added is unknown in what was written before`() throws {
        try write(First(id: 1, name: "Ada"))
        let new = try #require(cache[lastGood: WithMore.self, 1])
        #expect(new.email == nil && !new.knows(\.email) && new.language == "en")
        #expect(throws: ModelProblem(type: "User", id: "1", [FieldProblem("email", nil)])) {
            try cache.model(WithRequired.self, 1)
        }
        #expect(cache.partial(of: WithRequired.self, 1)?.name == .value("Ada"))
    }

    @Test func `a field that is not written any more is missing where it is required`() throws {
        try write(First(id: 1, name: "Ada"))
        #expect(cache[lastGood: WithRequired.self, 1] == nil)
        // A record that had it keeps it.
        try write(WithRequired(id: 2, name: "Grace", email: "grace@example.org"))
        try write(First(id: 2, name: "Grace H."))
        #expect(cache[lastGood: WithRequired.self, 2]?.email == "grace@example.org")
    }

    @Model("User") struct Renamed {
        @ID let id: Int
        @Field("name") var displayName: String
    }

    @Test func `a property that is renamed reads its old field`() throws {
        try write(First(id: 1, name: "Ada"))
        #expect(cache[lastGood: Renamed.self, 1]?.displayName == "Ada")
        try write(Renamed(id: 1, displayName: "Ada L."))
        #expect(cache[lastGood: First.self, 1]?.name == "Ada L.")
    }

    @Model("User") struct WithTextSize {
        @ID let id: Int
        var name: String
        var size: String
    }

    @Model("User") struct WithLenientSize {
        @ID let id: Int
        @Field(convert: .intOrText) var size: Int64
    }

    @Test func `a value of another type is a fault that leaves the last good model`() throws {
        try write(First(id: 1, name: "Ada", size: 5))
        #expect(cache[lastGood: First.self, 1]?.size == 5 && cache[lastGood: WithTextSize.self, 1] == nil)
        try write(WithTextSize(id: 1, name: "Ada L.", size: "6"))
        #expect(cache[lastGood: WithTextSize.self, 1]?.size == "6")
        guard case .outdated(let last, let problem)? = cache.state(of: First.self, 1) else {
            Issue.record("not outdated")
            return
        }
        #expect(last.size == 5 && last.name == "Ada" && problem.problems.map(\.field) == ["size"])
        #expect(cache.partial(of: First.self, 1)?.name == .value("Ada L."))
        #expect(cache[lastGood: WithLenientSize.self, 1]?.size == 6)
    }

    @Model("User") struct Wide {
        @ID let id: Int
        var size: Int64
    }

    @Model("User") struct Floating {
        @ID let id: Int
        var size: Double
    }

    @Test func `a number that becomes wider reads what was narrow`() throws {
        try write(First(id: 1, name: "Ada", size: 5))
        #expect(cache[lastGood: Wide.self, 1]?.size == 5 && cache[lastGood: Floating.self, 1]?.size == 5)
        try write(Wide(id: 1, size: 1 << 40))
        #expect(throws: ModelProblem.self) { try cache.model(First.self, 1) }
        #expect(cache.partial(of: First.self, 1)?.size.fault?.code == .range)
    }

    enum Kind: String, FieldValue { case person }
    enum MoreKinds: String, FieldValue { case person, robot }

    @Model("Being") struct Being {
        @ID let id: Int
        var kind: Kind
    }

    @Model("Being") struct OpenBeing {
        @ID let id: Int
        var kind: Open<Kind>
    }

    @Model("Being") struct NewBeing {
        @ID let id: Int
        var kind: MoreKinds
    }

    @Test func `a case that is added is a fault, but for an open enum`() throws {
        try write(NewBeing(id: 1, kind: .robot))
        #expect(throws: ModelProblem.self) { try cache.model(Being.self, 1) }
        #expect(cache[lastGood: OpenBeing.self, 1]?.kind == .unknown("robot"))
        let open = try #require(cache[lastGood: OpenBeing.self, 1])
        try write(open)
        #expect(cache[lastGood: NewBeing.self, 1]?.kind == .robot)
    }

    @Model("User") struct WithOptionalName {
        @ID let id: Int
        var name: String?
    }

    @Test func `a property that becomes optional reads what was required`() throws {
        try write(First(id: 1, name: "Ada"))
        #expect(cache[lastGood: WithOptionalName.self, 1]?.name == "Ada")
        try write(WithOptionalName(id: 1, name: nil))
        #expect(cache[lastGood: WithOptionalName.self, 1]?.knows(\.name) == true)
        #expect(cache.partial(of: First.self, 1)?.name == .null)
        #expect(throws: ModelProblem.self) { try cache.model(First.self, 1) }
    }
}
