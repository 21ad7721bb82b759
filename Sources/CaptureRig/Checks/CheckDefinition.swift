/// Check of the catalogue: its measures, its method, its standard, and its default limits.
///
/// The name, the parameters and the measures are what plans and reports refer to; they never change their meaning.
///
/// *thread-safe*
package struct CheckDefinition: Sendable {
    /// Name of two or three words with full stops: `camera.rate`.
    package let name: String
    /// Kinds of devices that it takes, in this order: one, or a camera and a microphone.
    package let devices: [DeviceKind]
    /// The claim that is tested, in one sentence.
    package let summary: String
    /// The way it is measured, in plain sentences.
    package let method: String
    /// Standards and programs whose limit it has, with their numbers.
    package let source: String
    /// Settings that a plan may have, beside limits.
    package let parameters: [Parameter]
    package let measures: [Definition]

    /// Kind of a device.
    package enum DeviceKind: String, Sendable, CaseIterable {
        case camera, microphone
    }

    /// A setting of a check in a plan.
    package struct Parameter: Sendable {
        package let name: String
        package let kind: Kind
        /// Meaning, in one clause.
        package let summary: String
        /// Value where a plan has none, as it is written there; `nil` if the device chooses.
        package let standard: String?

        package init(_ name: String, _ kind: Kind, _ summary: String, standard: String? = nil) {
            self.name = name
            self.kind = kind
            self.summary = summary
            self.standard = standard
        }

        /// Form of its value.
        package enum Kind: String, Sendable {
            /// `3 s`, `500 ms`, `2 min`, `8 h`.
            case duration
            /// A whole number.
            case count
            /// A number, with or without a fraction.
            case number
            /// `1280x720`.
            case size
            /// `30` or `30000/1001`.
            case rate
            /// A word, such as a format's name or a control's.
            case word
            /// A list of words.
            case words
            /// A path, relative to the plan's directory.
            case path
            /// A program and its arguments.
            case command
        }
    }

    /// A number that the check measures, and its limits.
    package struct Definition: Sendable {
        package let name: String
        package let unit: String
        package let direction: Measure.Direction
        /// Meaning of the number, in one clause.
        package let summary: String
        /// Limit on a bench; `nil` if it is only told.
        package let bench: Limit?
        /// Limit of a certification.
        package let certification: Limit?

        package init(
            _ name: String, _ unit: String, _ direction: Measure.Direction, _ summary: String, bench: Limit? = nil,
            certification: Limit? = nil
        ) {
            self.name = name
            self.unit = unit
            self.direction = direction
            self.summary = summary
            self.bench = bench
            self.certification = certification ?? bench
        }
    }

    package init(
        _ name: String, _ devices: [DeviceKind], _ summary: String, method: String, source: String,
        parameters: [Parameter] = [], measures: [Definition]
    ) {
        self.name = name
        self.devices = devices
        self.summary = summary
        self.method = method
        self.source = source
        self.parameters = parameters
        self.measures = measures
    }
}
