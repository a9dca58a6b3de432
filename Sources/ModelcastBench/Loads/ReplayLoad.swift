import Foundation
import Modelcast

/// Replays a file of models, one JSON object a line, at an even pace, and begins again at its end.
///
/// A line names `type` and `id`; its other fields are merged. `"deleted": true` deletes.
struct ReplayLoad: Load {
    let path: String
    let linesPerSecond: Double

    func run(_ publisher: Publisher, gauge: LoadGauge) throws {
        let lines = try ReplayLoad.lines(of: path)
        guard !lines.isEmpty else { throw BenchError("\(path) has no lines") }
        let pace = Pace(rate: linesPerSecond)
        var index = 0
        while !gauge.isStopping {
            for _ in index..<max(index, pace.count(at: MonotonicClock.nanoseconds)) where !gauge.isStopping {
                let line = lines[index % lines.count]
                try gauge.write { () throws(ModelcastError) in
                    line.isDeleted
                        ? try publisher.delete(line.type, line.id)
                        : try publisher.merge(line.type, line.id, line.fields)
                }
                index += 1
            }
            MonotonicClock.sleep(until: max(pace.due(index), MonotonicClock.nanoseconds + 1_000_000))
        }
    }

    private struct Line {
        let type: String
        let id: String
        let fields: Fields
        let isDeleted: Bool
    }

    private static func lines(of path: String) throws -> [Line] {
        let decoder = JSONDecoder()
        var lines: [Line] = []
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for (index, text) in bytes.split(separator: 0x0A).enumerated() {
            var values = try decoder.decode([String: JSONScalar].self, from: text).mapValues(\.value)
            guard let type = values.removeValue(forKey: "type")?.textValue,
                let id = values.removeValue(forKey: "id")?.textValue
            else { throw BenchError("\(path), line \(index + 1) has no type or no id") }
            let isDeleted = values.removeValue(forKey: "deleted") == .bool(true)
            lines.append(Line(type: type, id: id, fields: Fields(values), isDeleted: isDeleted))
        }
        return lines
    }
}

/// A JSON value that is neither array nor object.
private struct JSONScalar: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let int = try? container.decode(Int64.self) {
            value = .int(int)
        } else if let double = try? container.decode(Double.self) {
            value = .double(double)
        } else {
            value = .text(try container.decode(String.self))
        }
    }
}
