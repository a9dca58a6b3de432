import Foundation
public import ModelGrants

/// The file of grants of a deployment, the same at every process.
public enum GrantsFile {
    /// The greatest size of a file of grants, in bytes.
    static let byteCountMax = 16 << 20

    /// Reads a file of grants. The file is refused where others than its owner may write it, or where it belongs to
    /// neither this process's user nor root: whoever may write it may do everything. One without a grant is refused,
    /// too: it may be half of one.
    /// - Throws: ``ModelcastError`` with code `configuration`: why the file is refused, or each place that cannot
    ///   be read, with what would be right.
    public static func read(_ path: String) throws(ModelcastError) -> Grants {
        let text = try text(path)
        let grants: Grants
        do throws(GrantsError) { grants = try Grants(parsing: text, file: path) } catch {
            throw failure(error.problems.map { "\(path):\($0)" }.joined(separator: "; "))
        }
        guard !grants.all.isEmpty else {
            throw failure("\(path) grants nothing to anybody: is it whole? A line is grant KEY NAME and rights")
        }
        return grants
    }

    /// Reads the text of a file of grants, with the same care.
    package static func text(_ path: String) throws(ModelcastError) -> String {
        let data: Data
        do {
            // To open a pipe would wait for a writer.
            let kind = try FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type]
            guard kind as? FileAttributeType == .typeRegular else {
                throw failure("\(path) is no file: grants are read from a file, and read again from it")
            }
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            if let fault = fault(of: file.fileDescriptor, path) { throw fault }
            data = try file.read(upToCount: byteCountMax + 1) ?? Data()
        } catch let error as ModelcastError {
            throw error
        } catch {
            throw failure("cannot read the grants in \(path): \((error as NSError).localizedDescription)")
        }
        guard data.count <= byteCountMax, let text = String(data: data, encoding: .utf8) else {
            throw failure("\(path) is no file of grants: it is not text, or has more than \(byteCountMax) bytes")
        }
        return text
    }

    private static func fault(of descriptor: Int32, _ path: String) -> ModelcastError? {
        guard let rights = FileRights(of: descriptor) else {
            return failure("it cannot be told who may write \(path), which says who may do what: use a local disk")
        }
        if rights.mode & 0o022 != 0 {
            return failure("\(path) says who may do what, and others may write it: chmod go-w \(path)")
        }
        guard rights.isOwn else {
            return failure("\(path) says who may do what, and belongs to another user: chown it to this one")
        }
        return nil
    }

    private static func failure(_ message: String) -> ModelcastError { ModelcastError(.configuration, message) }
}
