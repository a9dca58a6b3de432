/// Simple values and tags that Modelcast gives a meaning.
public enum CBORConstant {
    public static let falseByte: UInt8 = 0xF4
    public static let trueByte: UInt8 = 0xF5
    public static let nullByte: UInt8 = 0xF6
    public static let undefinedByte: UInt8 = 0xF7
    public static let breakByte: UInt8 = 0xFF
    public static let timestampTag: UInt64 = 1
    public static let uriTag: UInt64 = 32
    public static let uuidTag: UInt64 = 37
}
