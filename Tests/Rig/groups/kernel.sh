# about: what daemons, supervisors and test benches need of this kernel is there
# time: virtual
# timeout: 60
# checks: 13

# NUMBER NAME: a system call that the kernel has answers otherwise than ENOSYS.
has_call() {
    python3 - "$1" <<'PYTHON'
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(int(sys.argv[1]), -1, 0, 0, 0, 0, 0)
sys.exit(ctypes.get_errno() == errno.ENOSYS)
PYTHON
}

check "bpf(2) is there" has_call 321
check "process_vm_readv(2) is there: a supervisor reads what a program passes" has_call 310
check "name_to_handle_at(2) is there" has_call 303
lacks_call() { ! has_call "$1"; }
check "a call that no kernel has is missed" lacks_call 1000
check "clocks of processor time are there: grpc, and so labgrid, ends without" \
    python3 -c 'import time; time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)'
check "/proc tells the children of a thread" test -r /proc/$$/task/$$/children
check "Yama can restrict ptrace(2)" test -e /proc/sys/kernel/yama/ptrace_scope
check "AppArmor is built in" test -d /sys/module/apparmor
check "autofs is a file system" grep -qw autofs /proc/filesystems

# Alarms are whole seconds: one that is a second away may be over already.
wake_at() { echo 0 >/sys/class/rtc/rtc0/wakealarm && echo "$1" >/sys/class/rtc/rtc0/wakealarm; }
sleeps() { wake_at +2 && echo mem >/sys/power/state; }
check "the machine sleeps, and an alarm of its clock wakes it" sleeps
equal "which it counts as a success" 1 "$(cat /sys/power/suspend_stats/success)"
modprobe vhci_hcd sleeps=1
equal "emulated USB devices can sleep with it" Y "$(cat /sys/module/vhci_hcd/parameters/sleeps)"

modprobe vicodec
check "vicodec has an encoder's node" grep -qs encoder /sys/class/video4linux/video*/name
