/// An option that may stand without its value.
///
/// The parser's own way for it (`defaultAsFlag`, in 1.8) drops a value that was written where another option comes next. So
/// the option wants its value, and gets it here.
struct BareOption {
    let name: String
    let value: String

    static let all = [BareOption(name: "--reattach", value: "1h")]

    /// The arguments, with the values that were left out.
    static func completed(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.indices.map { index in
            let argument = arguments[index]
            guard index < end, let option = all.first(where: { $0.name == argument }) else { return argument }
            let hasValue = index + 1 < end && DurationArgument(argument: arguments[index + 1]) != nil
            return hasValue ? argument : "\(option.name)=\(option.value)"
        }
    }
}
