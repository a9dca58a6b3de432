import TestSupport
import Testing

/// What the types of the library keep a user from, and what they let him do: small programs given to the compiler.
@Suite struct LibraryMisuseTests {
    private static let head = """
        import Modelcast
        struct Address: FieldGroup {
            enum FieldNames { static let city: ModelField<String> = "town" }
            static let fieldNames = ["town"]
            var city: String
            var cityInCapitals: String { city.uppercased() }
            init(reading source: inout some FieldSource) throws(FieldProblem) { city = try source.read("town") }
            func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("town", city) }
        }
        struct User: Model {
            enum FieldNames {
                static let age: ModelField<Int> = "age"
                static let born: ConstantField = "born"
                static let address: ModelField<Address> = "address"
            }
            static let modelType = "User"
            static let properties = [ModelProperty(\\User.age, "age")]
            let id: String
            var age: Int
            var address: Address?
            var isSelected = false
            var isAdult: Bool { age > 17 }
            init(id: String, record: CellRecord) throws(FieldProblem) {
                var reader = FieldReader(record)
                self.id = id
                age = try reader.read("age")
            }
            func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("age", age) }
        }
        struct Item: Model {
            static let modelType = "Item"
            static let properties: [ModelProperty<Item>] = []
            let id: String
            var age: Int { 0 }
            init(id: String, record: CellRecord) throws(FieldProblem) { self.id = id }
            func write(into sink: inout some FieldSink) throws(FieldProblem) {}
        }
        @MainActor func run(_ publisher: Publisher, _ subscriber: Subscriber, _ user: User) async throws {
        """

    /// Body of the program, and a part of the compiler's complaint; nil where it must compile.
    static let programs: [(body: String, complaint: String?)] = [
        // A cache is read, and written by nobody but its service.
        ("_ = subscriber.cache[\"User\", \"1\"]", nil),
        ("subscriber.cache.commit { _ in }", "'commit' is inaccessible"),
        ("_ = publisher.cache.takeJournal()", "'takeJournal' is inaccessible"),
        ("_ = publisher.cache.dropTombstones(of: \"User\", olderThan: 1)", "'dropTombstones' is inaccessible"),
        ("let commit: Commit? = nil; _ = commit", "cannot find type 'Commit'"),
        // Writes by names and by models have the same verbs and throw the same.
        ("do { try publisher.merge(\"User\", \"1\", [:]) } catch { let e: ModelcastError = error; _ = e }", nil),
        ("do { try publisher.merge(user) } catch { let e: ModelcastError = error; _ = e }", nil),
        ("do { try publisher.replace(user) } catch { let e: ModelcastError = error; _ = e }", nil),
        ("do { try publisher.delete(User.self, \"1\") } catch { let e: ModelcastError = error; _ = e }", nil),
        ("publisher.merge(user)", "call can throw"),
        // Writes are not kept beyond their transaction, where nothing would send them.
        ("var kept: Writes?; try publisher.transaction { kept = $0 }; _ = consume kept", "is consuming"),
        // A writer may wait on an actor.
        ("try await publisher.waitingForRoom { try publisher.merge(user) }", nil),
        // What may be outdated says so.
        ("_ = subscriber[User.self, \"1\"]", "'User.Type'"),
        ("_ = subscriber[lastGood: User.self, \"1\"]; _ = try subscriber.model(User.self, \"1\")", nil),
        // A model is lent.
        ("_ = subscriber.withModel(lastGood: User.self, \"1\") { $0.age }", nil),
        // An observer takes fields, of the model and of its groups, and no other path.
        ("_ = subscriber.models(User.self).changes(of: \\.age, \\.address, \\.address.city)", nil),
        ("_ = subscriber.models(User.self).changes(of: \\.isAdult)", "'User.FieldNames' has no member 'isAdult'"),
        ("_ = subscriber.models(User.self).changes(of: \\.age, \\.id)", "'User.FieldNames' has no member 'id'"),
        ("_ = subscriber.models(User.self).changes(of: \\.isSelected)", "has no member 'isSelected'"),
        ("_ = subscriber.models(User.self).changes(of: \\.born)", "requires that 'ConstantField' conform"),
        ("_ = subscriber.models(User.self).changes(of: \\.age.description)", "requires that 'Int' conform"),
        ("_ = subscriber.models(User.self).changes(of: \\.address.cityInCapitals)", "no member 'cityInCapitals'"),
        ("_ = subscriber.models(User.self).changes(of: \\Item.age)", "root type 'Item'"),
        ("_ = subscriber.models(User.self).changes(of: \\User.age)", "root type 'User'"),
        ("_ = subscriber.models(User.self).changes()", "missing argument"),
        ("_ = subscriber.models(Item.self).changes(of: \\.age)", "has no member 'age'"),
        // So does a model that is asked what it knows, but for the fields of a group: it knows all of that or nothing.
        ("_ = user.knows(\\.age) || user.knows(\\.address)", nil),
        ("_ = user.knows(\\.isAdult)", "'User.FieldNames' has no member 'isAdult'"),
        ("_ = user.knows(\\.id)", "'User.FieldNames' has no member 'id'"),
        ("_ = user.knows(\\.born)", "ConstantField"),
        ("_ = user.knows(\\.address.city)", "NestedField<String>"),
        ("func of(_ change: ModelChange<User>) { _ = change.changes(\\.address.city) }", nil),
        ("func of(_ change: ModelChange<User>) { _ = change.changes(\\.isAdult) }", "has no member 'isAdult'"),
    ]

    @Test(arguments: programs.indices)
    func `misuse of the library is refused by the compiler, and right use is not`(index: Int) throws {
        guard let compiler = CompilerRun(of: "Modelcast") else { return }
        let program = Self.programs[index]
        try compiler.expect("\(Self.head)\n    \(program.body)\n}\n", complaint: program.complaint)
    }
}
