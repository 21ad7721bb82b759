#include "peers.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace {

// Erik Rigtorp's bounded queue, written down from its description (https://rigtorp.se/ringbuffer/): both indices on cache
// lines of their own, each side keeps a copy of the other's index and looks again only when the copy says full or empty,
// one slot more than fit tells full from empty, and slack in front and behind keeps the slots off other data's lines.
// Published by a locked exchange instead of a store where asked.
template <typename Item, bool isLocked>
class Queue {
  public:
    explicit Queue(size_t capacity)
        : capacity_(capacity + 1), slots_(std::make_unique<Item[]>(capacity_ + 2 * padding)) {}

    template <typename Fill>
    bool push(Fill fill) {
        auto const write = write_.load(std::memory_order_relaxed);
        auto next = write + 1;
        if (next == capacity_) next = 0;
        if (next == read_copy_) {
            read_copy_ = read_.load(std::memory_order_acquire);
            if (next == read_copy_) return false;
        }
        fill(slots_[write + padding]);
        if constexpr (isLocked) {
            auto expected = write;
            return write_.compare_exchange_strong(expected, next);
        }
        write_.store(next, std::memory_order_release);
        return true;
    }

    Item *front() {
        auto const read = read_.load(std::memory_order_relaxed);
        if (read == write_copy_) {
            write_copy_ = write_.load(std::memory_order_acquire);
            if (read == write_copy_) return nullptr;
        }
        return &slots_[read + padding];
    }

    void pop() {
        auto next = read_.load(std::memory_order_relaxed) + 1;
        if (next == capacity_) next = 0;
        read_.store(next, std::memory_order_release);
    }

  private:
    static constexpr size_t line = 64;
    static constexpr size_t padding = (line - 1) / sizeof(Item) + 1;
    size_t capacity_;
    std::unique_ptr<Item[]> slots_;
    alignas(line) std::atomic<size_t> write_{0};
    alignas(line) size_t read_copy_ = 0;
    alignas(line) std::atomic<size_t> read_{0};
    alignas(line) size_t write_copy_ = 0;
};

template <size_t Bytes>
struct alignas(64) Item {
    std::byte bytes[Bytes];
};

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <size_t Bytes, bool isLocked = false>
int64_t run(size_t slots, int64_t items) {
    Queue<Item<Bytes>, isLocked> queue(slots);
    auto source = std::make_unique<Item<Bytes>>(), target = std::make_unique<Item<Bytes>>();
    std::memset(source.get(), 1, Bytes);
    std::memset(target.get(), 1, Bytes);
    std::atomic<bool> go{false};
    std::thread consumer([&] {
        peer_pin(1);
        go.store(true, std::memory_order_release);
        for (int64_t item = 0; item < items; item++) {
            Item<Bytes> *front;
            while (!(front = queue.front())) {}
            std::memcpy(target.get(), front, Bytes);
            // The compiler must not leave out what nobody reads.
            asm volatile("" : : "r"(target.get()) : "memory");
            queue.pop();
        }
    });
    int64_t began = 0;
    std::thread producer([&] {
        peer_pin(0);
        while (!go.load(std::memory_order_acquire)) {}
        began = now();
        for (int64_t item = 0; item < items; item++)
            while (!queue.push([&](Item<Bytes> &slot) { std::memcpy(&slot, source.get(), Bytes); })) {}
    });
    producer.join();
    consumer.join();
    return now() - began;
}

}  // namespace

extern "C" void peer_pin(int32_t processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    // Where there is no such processor the thread goes where it likes.
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

extern "C" int64_t peer_queue_run(int64_t item_bytes, int64_t slots, int64_t items) {
    switch (item_bytes) {
    case 64: return run<64>(size_t(slots), items);
    case 128: return run<128>(size_t(slots), items);
    case 4096: return run<4096>(size_t(slots), items);
    case 4160: return run<4160>(size_t(slots), items);
    case 614400: return run<614400>(size_t(slots), items);
    default: return 0;
    }
}

extern "C" int64_t peer_locked_queue_run(int64_t item_bytes, int64_t slots, int64_t items) {
    switch (item_bytes) {
    case 128: return run<128, true>(size_t(slots), items);
    case 4160: return run<4160, true>(size_t(slots), items);
    default: return 0;
    }
}

extern "C" int64_t peer_copy_run(int64_t item_bytes, int64_t slots, int64_t items) {
    auto const bytes = size_t(item_bytes);
    std::vector<std::byte> source(bytes, std::byte{1}), target(bytes, std::byte{1}), ring(bytes * size_t(slots));
    peer_pin(0);
    auto const began = now();
    for (int64_t item = 0; item < items; item++) {
        auto *slot = ring.data() + size_t(item % slots) * bytes;
        std::memcpy(slot, source.data(), bytes);
        std::memcpy(target.data(), slot, bytes);
        asm volatile("" : : "r"(target.data()) : "memory");
    }
    return now() - began;
}
