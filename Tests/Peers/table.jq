# The costs of all runs as a table of medians and ratios, then what was counted.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def rounded: . * 100 | round / 100;
def milliseconds: . * 1000 | round;

def medians: group_by([.work, .who]) | map({
    work: .[0].work, who: .[0].who, process: (map(.process) | median), machine: (map(.machine) | median),
    failed: (map(select(.exit != 0)) | length)
});
def verdict($ratio; $goal): if $goal == null then "–" elif $ratio <= $goal then "≤ \($goal)" else "≤ \($goal) MISSED" end;

# At most one system call a frame more than the peer: a frame is a picture, or a sample of each channel.
def verdict_of_calls($ours):
    {"system calls a picture": 1, "system calls a second": 48000}[.what] as $frames
    | if $frames == null then "–"
      elif ($ours - .count) / $frames <= 1 then "≤ one more a frame"
      else "≤ one more a frame MISSED" end;

def row($ours): . as $peer
    | ($ours.machine / .machine) as $ratio
    | $goals[0][.work][.who] as $goal
    | "| \(.work) | \(.who) | \($ours.machine | milliseconds) | \(.machine | milliseconds) | \($ratio | rounded) "
      + "| \(verdict($ratio; $goal)) | \($ours.process | milliseconds) | \(.process | milliseconds) "
      + "| \($ours.process / .process | rounded) |";

medians as $all
| ($all[] | select(.failed > 0) | "MISSED: \(.who) failed \(.failed) times"),
"| work, 10 s | peer | machine: ours, ms | peer's, ms | ratio | goal | process: ours, ms | peer's, ms | ratio |",
"|---|---|---|---|---|---|---|---|---|",
($all[] | select(.who != "ours") | . as $peer
    | row($all[] | select(.who == "ours" and .work == $peer.work))),
"",
"| counted | ours | peer | peer's | goal |",
"|---|---|---|---|---|",
($counts | group_by([.work, .what])[] | (.[] | select(.who == "ours")) as $ours | .[] | select(.who != "ours")
    | "| \(.work): \(.what) | \($ours.count) | \(.who) | \(.count) | \(verdict_of_calls($ours.count)) |")
