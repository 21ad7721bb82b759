# about: of four cameras that a plan checks at once, only the one that loses frames fails
# time: virtual
# timeout: 90
# checks: 5

. "$here/bench.sh"

load_eight
grant_all
head -n 4 pairs | cut -d ' ' -f 1 | awk '{ printf "camera%d: {kind: camera, id: \"%s\"}\n", NR, $1 }' >devices.yaml
equal "there are four cameras" 4 "$(grep -c . devices.yaml)"

# The plan of eight cameras in the group rig-plans is for good ones.

# four CHECK: a plan that makes one check of all four at once. Its results are in out/report.json.
four() {
    {
        printf 'version: 1\nname: four\nprofile: bench\ndevices:\n'
        sed 's/^/  /' devices.yaml
        printf 'checks:\n  - parallel:\n'
        for number in 1 2 3 4; do
            echo "      - {check: $1, device: camera$number, size: 640x360, format: YUYV, for: 5 s}"
        done
    } >plan.yaml
    rm -rf out
    code=0
    capturegate rig run plan.yaml --out out >said 2>&1 || code=$?
}
verdicts() { jq -r '[.results[].verdict] | join(" ")' out/report.json; }
lost() { jq -r '[.results[].measures[] | select(.name == "lost").value] | join(" ")' out/report.json; }

# From the first one's start to the last one's end there is one capture's time and not four.
at_once() { jq -e '([.results[] | .begins + .seconds] | max) - ([.results[].begins] | min) < 7' out/report.json; }

# The third one's driver drops one frame of five.
third=$(sed -n 's/^camera3:.*id: "\(.*\)"}/\1/p' devices.yaml)
node=$(capturegate devices --json | jq -r --arg id "$third" 'first(.devices[] | select(.id == $id) | .nodes[0])')
check "the third camera has a node" [ -c "$node" ]
v4l2-ctl -d "$node" -c percentage_of_dropped_buffers=20
four camera.loss
note "lost: $(lost); $node of $third; $(tr "\n" " " <said)"
equal "a camera that loses frames fails, and no other one" "1 pass pass fail pass" "$code $(verdicts)"
check "they are captured at once" at_once
check "the others have lost nothing" [ "$(lost | awk '{ print $1 + $2 + $4 }')" = 0 ]
