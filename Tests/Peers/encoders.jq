# What each run took, as a table of medians. A ratio is the median of the rounds' ratios: what slows the machine down for a
# while slows both.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def rounded: . * 1000 | round / 1000;
def milliseconds: . * 1000 | round;
def verdict($ratio; $goal): if $goal == null or $ratio <= $goal then "" else " MISSED" end;

# Likeness of a peer's clips between the two whose sizes are around that of ours, by the logarithm of the size.
def at_size($size): (.peer | sort_by(.size)) as $clips
  | ([range($clips | length - 1) | select($clips[.].size <= $size)] | last // 0) as $at
  | $clips[$at] as $low | $clips[$at + 1] as $high
  | $low.likeness + ($high.likeness - $low.likeness) * (($size / $low.size | log) / ($high.size / $low.size | log));

. as $all
| def runs($what; $who): $all | map(select(.work == $what and .who == $who)) | sort_by(.round);
  def row($what; $who): runs($what; "ours") as $ours | runs($what; $who) as $theirs
    | ([range($ours | length)] | map($ours[.].process / $theirs[.].process) | median) as $ratio
    | $goals[0][$what][$who] as $goal
    | "| \($what) | \($who) | \($ours | map(.process) | median | milliseconds) "
      + "| \($theirs | map(.process) | median | milliseconds) | \($ratio | rounded) | \(if $goal == null then "–" else "≤ \($goal)" end)\(verdict($ratio; $goal)) "
      + "| \($ours[0].size) | \($theirs[0].size) |";
  "| work | peer | ours, ms | peer's, ms | ratio | goal | ours, bytes | peer's, bytes |",
  "|---|---|---|---|---|---|---|---|",
  ($all | map({work, who}) | unique | map(select(.who != "ours")) | .[] | row(.work; .who)),
  "",
  "| likeness (SSIM) in | quality | ours | ffmpeg -q:v 3 | bytes, of ffmpeg's | goal |",
  "|---|---|---|---|---|---|",
  ($likeness[] | $goals[0]["size at equal likeness"].ffmpeg as $goal
    | "| \(.planes) | \(.quality) | \(.ours) | \(.ffmpeg) | \(.size | rounded) | ≤ \($goal)\(verdict(.size; $goal)) |"),
  "",
  "| likeness (SSIM) at equal size | bytes | ours | peer's | difference | goal |",
  "|---|---|---|---|---|---|",
  ($moved[] | .ours as $ours | $goals[0]["likeness at equal size"][.codec] as $goal
    | at_size($ours.size) as $theirs | ($ours.likeness - $theirs) as $difference
    | "| \(.codec) | \($ours.size) | \($ours.likeness | rounded) | \($theirs | rounded) | \($difference * 10000 | round / 10000) | ≥ \($goal)\(if $difference < $goal then " MISSED" else "" end) |")
