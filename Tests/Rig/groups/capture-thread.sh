# about: with a kernel's camera and microphone, capture threads allocate nothing and lock nothing
# time: virtual
# timeout: 90
# long-timeout: 120
# checks: 15

load_vivid
load_aloop
grant_all
find_devices

# record TIME PLANT [BY...]: `report` gets a line for each capture thread, `scheduled` one as the kernel sees it
# meanwhile.
record() {
    time=$1 plant=$2
    shift 2
    rm -f report events.ndjson
    env COUNT_REPORT="$rig/work/report" COUNT_PLANT="$plant" LD_PRELOAD="$judges/count-calls.so" "$@" \
        capturegate record null: --json --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30 \
        --rate 48000 --for "$time" >events.ndjson &
    recorder=$!
    wait_for 20 recording events.ndjson
    look_at_threads >scheduled
    check "a camera and a microphone are captured for $time" wait $recorder
}

# A line for each capture thread: "SCHED_FIFO 20".
look_at_threads() {
    for thread in /proc/$recorder/task/*; do
        case $(cat "$thread/comm") in
            capturegate.*) chrt -p "${thread##*/}" | sed 's/|.*//; s/.*: *//' | paste -sd ' ' ;;
        esac
    done
}

column() { sed -nE "s/.* $1=([^ ]+).*/\1/p" report | paste -sd ' '; }
# How many threads had turns enough to speak of a steady state.
steady() { awk -F 'turns=' '$2 + 0 >= 30' report | wc -l; }
told() { ledger events.ndjson '.ledger.tracks[].priority'; }

# In steady state after a second. The long run takes a minute.
time=${CAPTUREGATE_LONG:+60s}
record "${time:-10s}" ''
note "$(cut -d ' ' -f 1-2 report | paste -sd ' ')"
equal "each has a thread, in steady state" 2 "$(steady)"
equal "which allocates nothing" '0 0' "$(column allocations)"
equal "frees nothing" '0 0' "$(column releases)"
equal "locks nothing" '0 0' "$(column locks)"
equal "and has the kernel wait for no lock" '0 0' "$(column futexes)"
equal "nothing is lost meanwhile" 0 "$(ledger events.ndjson '[.ledger.tracks[].lost | add] | add')"
equal "root's threads have realtime priority" 'SCHED_FIFO SCHED_FIFO' "$(cut -d ' ' -f 1 scheduled | paste -sd ' ')"
equal "which is what the ledger says" "$(cat scheduled)" "$(told)"

# The step `capture-thread` plants locks as well.
record 4s allocation
equal "one planted allocation a thread is counted" '1 1' "$(column allocations)"
equal "and that it is freed again" '1 1' "$(column releases)"

# Somebody whom the system refuses it, as it does anybody but root.
record 4s '' prlimit --rtprio=0:0 --nice=0:0 setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice
equal "who may have no priority has ordinary threads" 'SCHED_OTHER 0 SCHED_OTHER 0' "$(paste -sd ' ' scheduled)"
check "and the ledger says that it was refused" [ "$(told | grep -cE 'normal.*(denied|permitted)')" = 2 ]
