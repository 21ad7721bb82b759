import CaptureBase

/// Satisfied where a closure says so.
///
/// *thread-safe*
public struct BlockCondition: OperationCondition {
    public let name: String
    private let block: @Sendable () async throws -> Bool

    /// - Parameters:
    ///   - name: what the error says if the closure returns `false`.
    ///   - block: runs for each evaluation; what it throws is the condition's error.
    public init(_ name: String = "BlockCondition", _ block: @escaping @Sendable () async throws -> Bool) {
        self.name = name
        self.block = block
    }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        do {
            if try await block() { return .satisfied }
            return .failed(CaptureError(.conditionFailed, "\(name) does not hold."))
        } catch let error as CaptureError {
            return .failed(error)
        } catch {
            return .failed(CaptureError(.conditionFailed, "\(name) could not be evaluated: \(error)"))
        }
    }
}
