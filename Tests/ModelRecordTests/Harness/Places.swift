@testable import ModelRecord

extension RecordStorage {
    /// All that the record's directory tells: where each cell's search begins.
    var places: [Int] {
        let directory = CellDirectory(facts)
        return (0..<Int(cellCount)).flatMap { cell in
            let place = directory.nearest(cell, in: stored)
            return [place.cell, place.offset]
        }
    }
}
