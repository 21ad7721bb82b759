# about: the administrator's rules win over the person's decisions, and rules that can't be read deny
# time: virtual
# timeout: 90
# checks: 26

grant_all
rules=/etc/capturegate/policy.d
mkdir -p $rules

record_sound() { capturegate record null: --microphone test:tone --camera none --for 1s; }
record_picture() { capturegate record null: --camera test:bars --microphone none --for 1s; }

printf 'version: 1\nrules:\n  - deny: microphone\n    reason: No recording in this room.\n' >$rules/10-room.yaml
exits "a microphone that a rule forbids is refused in spite of a grant" 77 record_sound
said "it names the rule's file" "$rules/10-room.yaml"
said "it gives the rule's reason" "No recording in this room"
exits "a camera that no rule speaks of is as granted" 0 record_picture

printf 'version: 1\nrules: [\n' >$rules/20-broken.yaml
exits "rules that can't be read refuse what was granted" 78 record_picture
exits "the check of the rules fails" 78 capturegate policy check
said "it names file, line and column" "20-broken.yaml:[0-9]+:[0-9]+"

rm $rules/*
# A name of ALSA's configuration has an id of its own, and leads to hardware that has one as well.
load_aloop
card=$(readlink /proc/asound/Loopback | tr -dc 0-9)
microphone=$(device_id "/dev/snd/pcmC${card}D0c")
record_named() {
    capturegate record named.wav --force --microphone alsa:plughw --camera none --for 500ms
}
exits "a microphone can be had by a name of ALSA's configuration" 0 record_named
equal "and that is it" "0.500000" "$(duration named.wav)"
rm named.wav
printf 'version: 1\nrules:\n  - deny: microphone\n    device: %s\n    reason: Not this one.\n' "$microphone" \
    >$rules/10-room.yaml
exits "where a rule forbids it, not by that name either" 77 record_named
said "it gives the rule's reason" "Not this one"
equal "and no file is left" "" "$(ls named* 2>/dev/null)"

# Nor as one of several, behind whatever stands before it. What can't be told may be any microphone.
cat >/etc/asound.conf <<'END'
pcm.twins {
    type multi
    slaves.a { pcm "hw:Loopback,1" channels 2 }
    slaves.b { pcm "hw:Loopback,0" channels 2 }
    bindings.0 { slave a channel 0 }
    bindings.1 { slave b channel 0 }
}
pcm.behind_silence {
    type multi
    slaves.a { pcm "null" channels 1 }
    slaves.b { pcm "plughw:Loopback,0" channels 1 }
    bindings.0 { slave a channel 0 }
    bindings.1 { slave b channel 0 }
}
pcm.nested {
    type multi
    slaves.a { pcm "hw:Loopback,1" channels 2 }
    slaves.b { pcm "behind_silence" channels 2 }
    bindings.0 { slave a channel 0 }
    bindings.1 { slave b channel 1 }
}
pcm.plugged { type plug slave.pcm "twins" }
pcm.hooked { type hooks slave.pcm "hw:Loopback,0" }
pcm.from_file { type file slave.pcm "hw:Loopback,1" file "/dev/null" infile "/dev/zero" format raw }
pcm.other {
    type multi
    slaves.a { pcm "hw:Loopback,1" channels 2 }
    bindings.0 { slave a channel 0 }
    bindings.1 { slave a channel 1 }
}
END
record_as() { capturegate record named.wav --force --microphone "$1" --camera none --for 300ms; }
for name in twins behind_silence nested plugged hooked from_file; do
    exits "the microphone that a rule forbids is not to be had as $name" 77 record_as "alsa:$name"
done
equal "and no file is left" "" "$(ls named* 2>/dev/null)"
exits "one that leads to another microphone alone is" 0 record_as alsa:other
printf 'version: 1\nrules: []\n' >$rules/10-room.yaml
capturegate record null: --microphone alsa:twins --camera none --for 20s >"$rig/tmp/twins" 2>&1 &
recording=$!
wait_for 10 grep -q Recording "$rig/tmp/twins"
printf 'version: 1\nrules:\n  - deny: microphone\n    device: %s\n' "$microphone" >$rules/10-room.yaml
exits "a rule that comes meanwhile ends what records the second of two" 77 wait $recording

# Whoever writes the configuration may call any card by another's name.
cat >/etc/asound.conf <<'END'
pcm.!hw {
    @args [ CARD DEV SUBDEV ]
    @args.CARD { type string }
    @args.DEV { type integer default 0 }
    @args.SUBDEV { type integer default -1 }
    type hw
    card $CARD
    device 0
    subdevice $SUBDEV
}
END
exits "an id whose hardware ALSA's configuration has moved is not captured" 66 \
    record_as "$(device_id "$microphone_node")"
said "and it says where that leads" "hardware other than"
rm -f /etc/asound.conf named*

printf 'version: 1\nrules:\n  - allow: camera\n' >$rules/10-room.yaml
printf 'version: 1\nrules:\n  - deny: camera\n' >$rules/20-room.conf
exits "a file that may be a rule denies, whatever it is called" 78 record_picture
rm $rules/20-room.conf
capturegate reset --yes >/dev/null
exits "a machine without a person records what a rule allows" 0 record_picture
exits "and nothing else" 77 record_sound
