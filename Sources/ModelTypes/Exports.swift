// The declarations of records that users call, with ModelcastMacros alone as well as with Modelcast.
@_exported public import struct ModelRecord.Cell
@_exported public import struct ModelRecord.CellRecord
@_exported public import struct ModelRecord.FieldCursor
@_exported public import struct ModelRecord.FieldName
@_exported public import struct ModelRecord.Fields
@_exported public import struct ModelRecord.Lease
@_exported public import struct ModelRecord.NameError
@_exported public import struct ModelRecord.Revision
@_exported public import typealias ModelRecord.Stamp
@_exported public import enum ModelRecord.Value
@_exported public import struct ModelRecord.Version
