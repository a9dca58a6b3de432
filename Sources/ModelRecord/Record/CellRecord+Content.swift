import ModelCBOR

extension CellRecord {
    /// Appends what readers see of the model and was written at `since` or later, with its versions: the id as a text
    /// of CBOR, then each such field as `name, [value, stamp, origin]`, in the order of the encoded names.
    ///
    /// The bytes are the same in all copies that hold the same. Removed fields and the floor are left out, because each
    /// copy forgets them at its own time.
    /// - Parameter olderCount: grows by the number of fields that were written before.
    /// - Returns: how many fields there are.
    package func appendContent(since: Stamp, to content: inout [UInt8], olderCount: inout Int) -> Int {
        var writer = CBORWriter(reserving: byteCount)
        writer.write(text: id)
        content.append(contentsOf: writer.bytes)
        var (count, older) = (0, 0)
        forEachCell { cell, bytes in
            guard bytes[cell.value.lowerBound] != CBORConstant.undefinedByte else { return true }
            guard cell.version.stamp >= since else {
                older += 1
                return true
            }
            count += 1
            for index in cell.key.lowerBound..<cell.end { content.append(bytes[index]) }
            return true
        }
        olderCount += older
        return count
    }
}
