/// Simple values and tags that Modelcast gives a meaning.
public enum CBORConstant {
    /// The item `false`.
    public static let falseByte: UInt8 = 0xF4
    /// The item `true`.
    public static let trueByte: UInt8 = 0xF5
    /// The item `null`.
    public static let nullByte: UInt8 = 0xF6
    /// The item `undefined`: in an update, it makes a field unknown again.
    public static let undefinedByte: UInt8 = 0xF7
    /// The end of an item of indefinite length.
    public static let breakByte: UInt8 = 0xFF
    /// The tag of a time in seconds since 1970.
    public static let timestampTag: UInt64 = 1
    /// The tag of a URI as text.
    public static let uriTag: UInt64 = 32
    /// The tag of a UUID as 16 bytes.
    public static let uuidTag: UInt64 = 37
}
