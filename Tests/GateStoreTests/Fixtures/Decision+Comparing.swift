import Gate

/// A decision as it was before it was stored.
func unnumbered(_ decision: Decision) -> Decision {
    Decision(
        verdict: decision.verdict, subject: decision.subject, capability: decision.capability, level: decision.level,
        device: decision.device, lifetime: decision.lifetime, decidedBy: decision.decidedBy,
        decidedAt: decision.decidedAt)
}
