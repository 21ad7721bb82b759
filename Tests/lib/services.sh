# shellcheck shell=bash
# What a check starts beside the program: how to wait for it, and a D-Bus on which everybody may do everything.
#
#   . ../lib/services.sh
#   bus_settings session "$work/bus" >"$work/bus.conf"
#   dbus-daemon --config-file="$work/bus.conf" --nofork --nosyslog &
#   wait_for 10 test -S "$work/bus"

# wait_for SECONDS COMMAND...: until the command succeeds, never longer.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# has_size BYTES FILE: whether the file has at least that many.
has_size() { [ "$(command stat -c %s "$2" 2>/dev/null || echo 0)" -ge "$1" ]; }

# bus_settings session|system SOCKET [SERVICES]: a dbus-daemon's file. SERVICES is a folder; what it names, the bus starts.
bus_settings() {
    cat <<BUS
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>$1</type>
  <listen>unix:path=$2</listen>
  ${3:+<servicedir>$3</servicedir>}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
BUS
}
