import Gate
import Testing

extension Acceptance {
    @Suite("Scale")
    struct Scale {
        enum Category {}

        /// A separate process: no other threads, descriptors and memory are counted.
        @Test("22. 100,000 operations leave no task, thread or descriptor behind.", arguments: Pace.allCases)
        func many(_ pace: Pace) async {
            await #expect(processExitsWith: .success) { [pace] in
                let world = World(pace, width: pace == .later ? 4 : .max)
                world.decide(.allow)
                let population = Population()
                await Scale.run(500, in: world, pace, population)
                let few = ProcessUsage.now
                await Scale.run(9_500, in: world, pace, population)
                let many = ProcessUsage.now
                await Scale.run(90_000, in: world, pace, population)
                let all = ProcessUsage.now
                #expect(world.queue.count == 0 && population.count == 0)
                #expect(all.descriptors == few.descriptors)
                // Threads of the pool and of Dispatch come and go, but no more than there ever were for a few operations.
                #expect(all.threads <= few.threads + 8)
                // A tenth of what 90,000 would leave who each left the smallest allocation there is.
                #expect(all.bytes < many.bytes + 4 << 20)
            }
        }

        /// Runs operations of several kinds, and waits until nothing holds any of them.
        static func run(_ count: Int, in world: World, _ pace: Pace, _ population: Population) async {
            for start in stride(from: 0, to: count, by: 500) {
                for number in start..<start + 500 { add(number, to: world, pace, population.token()) }
                await world.queue.waitUntilEmpty()
            }
            // The last task lets go of its operation after the queue is empty.
            let limit = ContinuousClock.now + .seconds(60)
            while population.count > 0, ContinuousClock.now < limit { await Task.yield() }
        }

        private static func add(_ number: Int, to world: World, _ pace: Pace, _ token: Population.Token) {
            let operation = ClosureOperation { _ in
                if pace == .later { await Task.yield() }
                withExtendedLifetime(token) {}
            }
            switch number % 100 {
            case 0: world.queue.add(operation.adding(AuthorizedFor(Capability.Microphone())))
            case 1: world.queue.add(operation.adding(BlockCondition { false }))
            case 2: world.queue.add(operation.adding(MutuallyExclusive<Category>()))
            case 3: world.queue.add(operation).cancel()
            default: world.queue.add(operation)
            }
        }

        @Test(
            "22. 10,000 in a chain do not overflow a stack.", arguments: Pace.allCases, [false, true])
        func chain(_ pace: Pace, isCancelled: Bool) async {
            let world = World(pace, width: pace == .later ? 4 : .max)
            world.queue.suspend()
            var last = world.queue.add(ClosureOperation { _ in 0 })
            for number in 1..<10_000 {
                let next = ClosureOperation { _ in
                    if pace == .later { await Task.yield() }
                    return number
                }
                last = world.queue.add(next, after: [last])
            }
            if isCancelled { world.queue.cancelAll() }
            world.queue.resume()
            #expect(await last.result == (isCancelled ? .failure(.cancelled) : .success(9_999)))
            await world.queue.waitUntilEmpty()
        }
    }
}
