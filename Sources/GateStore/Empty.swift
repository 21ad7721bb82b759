enum EmptyGateStore {}
