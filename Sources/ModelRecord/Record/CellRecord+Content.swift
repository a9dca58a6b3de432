import ModelCBOR

extension CellRecord {
    /// Appends what readers see of the model and was written at `since` or later, with its versions: the id as a text
    /// of CBOR, then each such field as `name, [value, stamp, origin]`, in the order of the encoded names.
    ///
    /// The bytes are the same in all copies that hold the same. Removed fields and the floor are left out, because each
    /// copy forgets them at its own time.
    /// - Returns: how many fields there are.
    package func appendContent(since: Stamp, to content: inout [UInt8]) -> Int {
        var writer = CBORWriter(reserving: byteCount)
        writer.write(text: id)
        content.append(contentsOf: writer.bytes)
        var count = 0
        forEachCell { cell, bytes in
            guard cell.version.stamp >= since, bytes[cell.value.lowerBound] != CBORConstant.undefinedByte else {
                return true
            }
            count += 1
            for index in cell.key.lowerBound..<cell.end { content.append(bytes[index]) }
            return true
        }
        return count
    }
}
