# about: whatever call fails, a listing has all other devices, says what it lacks and what to do, and leaves nothing
# time: virtual
# timeout: 100
# long-timeout: 900
# checks: 2

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
# Its list of formats is short: a webcam of vivid's has thousands of calls.
load_vivid input_types=1
load_aloop
"$judges/usbcam" --port 0 --serial RIG0001 2>usbcam.txt &
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
has_come() { ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c; }
wait_for 20 has_come && udevadm settle

# Two cameras, the USB camera's microphone and both sides of the loopback.
sweep_faults 150 devices 5
