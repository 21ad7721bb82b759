# about: the administrator's rules win over the person's decisions, and rules that can't be read deny
# time: real
# timeout: 90
# checks: 14

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

printf 'version: 1\nrules:\n  - allow: camera\n' >$rules/10-room.yaml
capturegate reset --yes >/dev/null
exits "a machine without a person records what a rule allows" 0 record_picture
exits "and nothing else" 77 record_sound
