// Devices as udev knows them. Opaque pointers: the result of a function called "new" or "from" must be released by the unref of
// its kind; all other pointers are borrowed from the object that was queried.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

struct udev;
struct udev_device;
struct udev_enumerate;
struct udev_list_entry;
struct udev_monitor;

struct udev *_Nullable cm_udev_new(void);
void cm_udev_unref(struct udev *udev);

// All devices of a subsystem, such as sound or video4linux.
struct udev_enumerate *_Nullable cm_udev_enumerate_new(struct udev *udev);
void cm_udev_enumerate_unref(struct udev_enumerate *enumeration);
int32_t cm_udev_enumerate_add_subsystem(struct udev_enumerate *enumeration, const char *subsystem);
// Those whose names match as in fnmatch(3), such as pcmC*c: what does not is not even looked at.
int32_t cm_udev_enumerate_add_name(struct udev_enumerate *enumeration, const char *pattern);
int32_t cm_udev_enumerate_scan(struct udev_enumerate *enumeration);
// The list's entries are named by sysfs path. NULL after the last.
struct udev_list_entry *_Nullable cm_udev_enumerate_first(struct udev_enumerate *enumeration);
struct udev_list_entry *_Nullable cm_udev_entry_next(struct udev_list_entry *entry);
const char *_Nullable cm_udev_entry_name(struct udev_list_entry *entry);
const char *_Nullable cm_udev_entry_value(struct udev_list_entry *entry);

// -ENODEV if it is gone.
int32_t cm_udev_device_from_syspath(
    struct udev *udev, const char *path, struct udev_device *_Nullable *_Nonnull device);
// `type`: 'c' or 'b'.
struct udev_device *_Nullable cm_udev_device_from_devnum(struct udev *udev, char type, dev_t number);
void cm_udev_device_unref(struct udev_device *device);
const char *_Nullable cm_udev_device_syspath(struct udev_device *device);
const char *_Nullable cm_udev_device_sysname(struct udev_device *device);
const char *_Nullable cm_udev_device_sysnum(struct udev_device *device);
const char *_Nullable cm_udev_device_devnode(struct udev_device *device);
const char *_Nullable cm_udev_device_subsystem(struct udev_device *device);
// Of a device from a monitor: add, remove, change …
const char *_Nullable cm_udev_device_action(struct udev_device *device);
dev_t cm_udev_device_devnum(struct udev_device *device);
const char *_Nullable cm_udev_device_property(struct udev_device *device, const char *key);
const char *_Nullable cm_udev_device_sysattr(struct udev_device *device, const char *name);
// 1 once udev has run its rules for the device.
int32_t cm_udev_device_is_initialized(struct udev_device *device);
struct udev_list_entry *_Nullable cm_udev_device_first_property(struct udev_device *device);
struct udev_list_entry *_Nullable cm_udev_device_first_link(struct udev_device *device);
// Borrowed from the child.
struct udev_device *_Nullable cm_udev_device_parent(
    struct udev_device *device, const char *_Nullable subsystem, const char *_Nullable devtype);

// Events that udev has finished with.
struct udev_monitor *_Nullable cm_udev_monitor_new(struct udev *udev);
void cm_udev_monitor_unref(struct udev_monitor *monitor);
int32_t cm_udev_monitor_add_subsystem(struct udev_monitor *monitor, const char *subsystem);
int32_t cm_udev_monitor_enable(struct udev_monitor *monitor);
// For poll; the monitor owns it. Non-blocking.
int32_t cm_udev_monitor_descriptor(struct udev_monitor *monitor);
// NULL when there is nothing; to be released.
struct udev_device *_Nullable cm_udev_monitor_receive(struct udev_monitor *monitor);

#pragma clang assume_nonnull end
