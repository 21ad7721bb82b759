# about: whatever call fails that an HDMI input or a converted format makes, a recording recovers or says so
# time: virtual
# timeout: 300
# long-timeout: 900
# checks: 2

load_vivid input_types=3
sweep_faults 20 camera "$(device_id "$camera_node")" --milliseconds 60 --pixel-format RGBP \
    --only VIDIOC_QUERY_DV_TIMINGS,VIDIOC_S_DV_TIMINGS,v4lconvert_create_with_dev_ops,v4lconvert_convert
