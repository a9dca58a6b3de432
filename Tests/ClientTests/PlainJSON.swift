import Foundation

/// JSON as any program reads and writes it, with coders that nobody has set up.
enum PlainJSON {
    static func read<T: Decodable>(_ text: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(text.utf8))
    }

    /// The keys are sorted, as a test compares the text.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The path and the words of a refusal of decoding; nil where the text is read.
    static func refusal<T: Decodable>(_ text: String, as type: T.Type) -> (path: String, words: String)? {
        do {
            _ = try read(text, as: type)
            return nil
        } catch let DecodingError.dataCorrupted(context) {
            return (context.codingPath.map(\.stringValue).joined(separator: "."), context.debugDescription)
        } catch {
            return ("", "\(error)")
        }
    }
}
