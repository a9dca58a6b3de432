import Foundation
import ModelcastMacros
import Testing

/// More optional properties than a word has bits.
@Model
struct Wide {
    @ID let id: Int
    var a0, a1, a2, a3, a4: Int?
    var b0, b1, b2, b3, b4: String?
    var c0, c1, c2, c3, c4: Double?
    var d0, d1, d2, d3, d4: Bool?
    var e0, e1, e2, e3, e4: [String]?
    var f0, f1, f2, f3, f4: Date?
    var g0, g1, g2, g3, g4: UUID?
    var h0, h1, h2, h3, h4: Int?
    var i0, i1, i2, i3, i4: String?
    var j0, j1, j2, j3, j4: Double?
    var k0, k1, k2, k3, k4: Bool?
    var l0, l1, l2, l3, l4: [String]?
    var m0, m1, m2, m3, m4: Date?
    var n0, n1, n2, n3, n4: UUID?
}

@Suite struct `Models of many fields` {
    @Test func `each of seventy optional properties is told apart`() throws {
        #expect(Wide.properties.count == 70)
        let wide = try JSONDecoder().decode(Wide.self, from: Data(#"{"id": 1, "a0": 1, "n3": null, "n4": null}"#.utf8))
        #expect(try wide.fields == ["a0": 1, "n3": .null, "n4": .null])
        let known = Wide.properties.enumerated().filter { !wide.unknownFields.contains($0.offset) }
            .map(\.element.field.text)
        #expect(known == ["a0", "n3", "n4"])
        #expect(wide.knows(\.a0) && !wide.knows(\.n2) && wide.knows(\.n3) && wide.knows(\.n4))
        let copy = try JSONDecoder().decode(Wide.self, from: JSONEncoder().encode(wide))
        #expect(copy == wide)
        #expect(copy != Wide(id: 1, a0: 1))
        #expect(copy.with { $0.n2 = UUID() }.knows(\.n2))
        #expect("\(wide.with { $0.a0 = nil })" == "Wide(id: 1, a0: nil, n3: nil, n4: nil)")
    }
}
