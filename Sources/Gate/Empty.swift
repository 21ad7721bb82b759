enum EmptyGate {}
