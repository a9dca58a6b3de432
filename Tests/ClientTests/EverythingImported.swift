// A user's file that imports what users import beside Modelcast: it compiles, and each name means what it means
// without Modelcast.
import Dispatch
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import Modelcast
import ModelcastMacros
import NIOCore
import Observation
import ServiceLifecycle
import Synchronization

@Model struct Person: Equatable {
    @ID let id: String
    var name: String
    var age: Int?
}

/// The module of this name, with its macro.
@Observable final class Screen {
    var title = "people"
    var count = 0
}

/// GRDB's protocols, and its names.
struct PersonRow: Codable, FetchableRecord, PersistableRecord {
    var id: String
    var name: String

    static let databaseTableName = "person"
    static let people = Table(databaseTableName)

    /// What came from Modelcast, to be stored.
    init(_ person: Person) { (id, name) = (person.id, person.name) }
}

final class OldRow: GRDB.Record {}

/// Hummingbird's, with a model as what is read and answered.
extension Person: ResponseCodable {}

func people(_ copy: Subscriber) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("people/:id") { request, context -> Response in
        guard let person = copy[lastGood: Person.self, try context.parameters.require("id")] else {
            return Response(status: .notFound)
        }
        return try person.response(from: request, context: context)
    }
    return router
}

/// Foundation's.
final class Announcement: Operation, @unchecked Sendable {
    let text: String
    init(_ text: String) { self.text = text }
    override func main() {}
}

final class Everything {
    let queue = DispatchQueue(label: "people")
    let operations = OperationQueue()
    let logger = Logger(label: "people")
    let buffer = ByteBuffer(string: "people")
    let lock = Mutex(0)
    let screen = Screen()

    /// Tells the screen of what changes in a copy, as a view would.
    func follow(_ cache: ModelCache, hears: @escaping @Sendable (String) -> Void) -> CacheObservation {
        cache.observe(.type("Person"), on: queue) { changes in
            for change in changes { hears(change.id) }
        }
    }
}
