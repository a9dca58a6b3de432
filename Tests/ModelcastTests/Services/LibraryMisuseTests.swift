import TestSupport
import Testing

/// What the types of the library keep a user from, and what they let him do: small programs given to the compiler.
@Suite struct LibraryMisuseTests {
    private static let head = """
        import Modelcast
        struct User: Model {
            static let modelType = "User"
            static let properties = [ModelProperty(\\User.age, "age")]
            let id: String
            var age: Int
            init(id: String, record: CellRecord) throws(FieldProblem) {
                var reader = FieldReader(record)
                self.id = id
                age = try reader.read("age")
            }
            func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("age", age) }
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
        ("let writes: Writes? = nil; try publisher.transaction { writes = $0 }", "cannot assign to value"),
        // A writer may wait on an actor.
        ("try await publisher.waitingForRoom { try publisher.merge(user) }", nil),
        // A model is lent.
        ("_ = subscriber.withModel(User.self, \"1\") { $0.age }", nil),
    ]

    @Test(arguments: programs.indices)
    func `misuse of the library is refused by the compiler, and right use is not`(index: Int) throws {
        guard let compiler = CompilerRun(of: "Modelcast") else { return }
        let program = Self.programs[index]
        try compiler.expect("\(Self.head)\n    \(program.body)\n}\n", complaint: program.complaint)
    }
}
