import Foundation
import Modelcast
import ModelcastMacros

// example: loaded-in-parts-models
@Model struct Board {
    @ID let id: String
    var title: String
}

@Model struct Pin {
    @ID let id: String
    @Field("image_url") var imageURL: URL
    @Field("note") var note: String?
    var board: Reference<Board>?
}
// end example

/// A pin comes in parts: each adds to what is known, none takes anything away.
enum LoadedInParts: Story {
    static let name = "loaded-in-parts"

    // example: loaded-in-parts-write
    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws {
        // The list of pins has their images only.
        var pin = Pin.Partial(id: "7")
        pin.imageURL = .value(URL(filePath: "/7.png"))
        try publisher.merge(pin)
        try await reader.says("7.png, note: not loaded, board: not loaded")

        // The page of the pin has the rest, and not the image. It has no note.
        var rest = Pin.Partial(id: "7")
        rest.note = .null
        rest.board = .value(Reference("b"))
        try publisher.transaction { writes in
            try writes.merge(rest)
            try writes.merge(Board(id: "b", title: "Engines"))
        }
        try await reader.says("7.png, note: none, board: Engines")
        try await reader.says("the first copy still says: note: not loaded")
    }
    // end example

    // example: loaded-in-parts-read
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws {
        var first: Pin?
        for await _ in subscriber.models(Pin.self, "7").stream() {
            let snapshot = subscriber.snapshot()
            guard let pin = snapshot[lastGood: Pin.self, "7"] else { continue }
            let board = pin.board.flatMap { snapshot[lastGood: $0]?.title }
            say("\(pin.imageURL.lastPathComponent), \(note(of: pin)), board: \(board ?? "not loaded")")
            guard let before = first else {
                first = pin
                continue
            }
            return say("the first copy still says: \(note(of: before))")
        }
    }

    private static func note(of pin: Pin) -> String {
        "note: \(pin.note ?? (pin.knows(\.note) ? "none" : "not loaded"))"
    }
    // end example
}
