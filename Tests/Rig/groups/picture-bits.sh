# about: the recorded picture equals what v4l2-ctl stores
# time: virtual
# timeout: 120
# checks: 4

load_still_vivid
grant_all
camera=$(device_id "$camera_node")

check "v4l2-ctl stores ten pictures of the still chart" \
    v4l2-ctl -d "$camera_node" --set-fmt-video=width=640,height=360,pixelformat=YUYV \
    --stream-mmap --stream-count=10 --stream-to=reference.yuyv
exits "the same chart is recorded raw" 0 capturegate record picture.y4m --camera "$camera" --microphone none \
    --size 640x360 --fps 30 --pixel-format YUYV --for 1s
check "each recorded picture equals the stored one" "$judges/same-picture" picture.y4m reference.yuyv 30

# A judge that cannot say no proves nothing: one changed value must be noticed.
printf '\001' | dd of=picture.y4m bs=1 seek=300000 conv=notrunc status=none
refute "a picture with one changed value is told from it" "$judges/same-picture" picture.y4m reference.yuyv 30
