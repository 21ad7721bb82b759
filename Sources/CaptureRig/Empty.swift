enum EmptyCaptureRig {}
