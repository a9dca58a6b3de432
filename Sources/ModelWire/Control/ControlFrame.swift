import ModelCBOR

/// A request or a reply: a frame `[method, rid, …]` on a control connection (protocol article, section 5).
protocol ControlFrame {
    var method: String { get }
    var rid: UInt64 { get }
}

extension ControlFrame {
    /// Writes the beginning of the frame, which has `count` elements with these two.
    func begin(_ count: Int, _ writer: inout CBORWriter) {
        writer.writeArrayHead(count)
        writer.write(text: method)
        writer.write(unsigned: rid)
    }
}

extension FrameReader {
    /// Reads the beginning of a request or a reply.
    @_lifetime(self: copy self)
    mutating func methodAndRID(_ elements: inout FrameElements) throws(WireError) -> (String, UInt64) {
        (try text(&elements, byteCountMax: 64), try unsigned(&elements))
    }

    /// Passes over the elements that version 1 does not know, and checks that nothing stands behind the frame.
    @_lifetime(self: copy self)
    mutating func end(_ elements: inout FrameElements) throws(WireError) {
        try finish(&elements)
        try expectEnd()
    }
}
