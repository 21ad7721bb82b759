# about: whatever call fails that an HDMI or a TV input or a converted format makes, a recording recovers or says so
# time: virtual
# timeout: 100
# long-timeout: 900
# checks: 6

load_vivid input_types=3
sweep_faults 20 camera "$(device_id "$camera_node")" --milliseconds 60 --pixel-format BA81 \
    --only VIDIOC_QUERY_DV_TIMINGS,VIDIOC_S_DV_TIMINGS,v4lconvert_create_with_dev_ops,v4lconvert_convert
modprobe -r vivid
load_vivid num_inputs=2 input_types=0xd
sweep_faults 40 camera "$(device_id "$camera_node")" --milliseconds 60 --input tv --standard ntsc \
    --only VIDIOC_S_INPUT,VIDIOC_ENUMINPUT,VIDIOC_QUERYSTD,VIDIOC_S_STD,VIDIOC_SUBSCRIBE_EVENT
sweep_faults 20 camera "$(device_id "$camera_node")" --milliseconds 60 --input hdmi --timings 640x480p60 \
    --only VIDIOC_S_INPUT,VIDIOC_ENUM_DV_TIMINGS,VIDIOC_S_DV_TIMINGS
