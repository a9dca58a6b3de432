/// A mark is `{"atLeast": 1}` or `{"atMost": 1.5}` in JSON.
extension BenchFigure.Mark: Codable {
    private enum CodingKeys: CodingKey {
        case atLeast
        case atMost
    }

    /// Decodes `atLeast`, or else `atMost`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let bound = try container.decodeIfPresent(Double.self, forKey: .atLeast) {
            self = .atLeast(bound)
        } else {
            self = .atMost(try container.decode(Double.self, forKey: .atMost))
        }
    }

    /// Encodes the bound under the name of its case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .atLeast(let bound): try container.encode(bound, forKey: .atLeast)
        case .atMost(let bound): try container.encode(bound, forKey: .atMost)
        }
    }
}
