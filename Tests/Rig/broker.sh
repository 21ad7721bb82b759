# What groups say beside guest.sh in which a broker has the devices: its programs are where packages put them, and those who want
# something of it are nobody's, with a person at a terminal. Sourced by those groups, once their devices are there.

userdel capturegate 2>/dev/null || true
groupdel capturegate 2>/dev/null || true
# The program that the broker lets ask is where packages put it.
cp "$(command -v capturegate)" /usr/bin/capturegate
cp "$(beside capturegated)" /usr/bin/capturegated
chmod 755 /usr/bin/capturegate /usr/bin/capturegated
mkdir -p $rig/user/run
chown -R nobody $rig/user
chmod 700 $rig/user/run
# Of the groups that could open the nodes before. In the background it is the program itself that $! names.
become_nobody() {
    cd $rig/user
    exec setpriv --reuid 65534 --regid 65534 --groups video,audio env PATH="/usr/bin:$PATH" HOME=$rig/user \
        XDG_STATE_HOME=$rig/user/state XDG_CONFIG_HOME=$rig/user/config XDG_RUNTIME_DIR=$rig/user/run "$@"
}
as_nobody() { (become_nobody "$@"); }

# answer.py ANSWER COMMAND...: a person at a terminal, who answers when asked.
cat >$rig/answer.py <<'PY'
import os, pty, select, sys
answer, command = sys.argv[1].encode() + b"\n", sys.argv[2:]
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
said, asked = b"", False
while True:
    ready = select.select([terminal], [], [], 0.5)[0]
    if not ready:
        if not asked and b"?" in said:
            asked = True
            os.write(terminal, answer)
        continue
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        chunk = b""
    if not chunk:
        break
    said += chunk
    os.write(1, chunk)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
PY
python=$(python3 -c 'import sys; print(sys.executable)')
person() { as_nobody timeout -s KILL 60 "$python" $rig/answer.py "$@"; }

start_broker() {
    install -d -o capturegate -g capturegate -m 755 /run/capturegate
    install -d -o capturegate -g capturegate -m 700 /var/lib/capturegate
    rm -f /run/capturegate/broker
    setpriv --reuid capturegate --regid capturegate --groups audio,video --inh-caps +sys_ptrace --ambient-caps +sys_ptrace \
        /usr/bin/capturegated 2>>/rigout/broker.txt &
    broker=$!
    wait_for 10 test -S /run/capturegate/broker
}
# The broker's log of nobody.
broker_log() {
    setpriv --reuid capturegate --regid capturegate --clear-groups /usr/bin/capturegate log --of nobody --json
}
