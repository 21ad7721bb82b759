#if !__has_include(<libudev.h>)
#include "../Packages/missing.h"
#endif
#include "cm_udev.h"
#include "cm_fault.h"
#include <errno.h>
#include <libudev.h>
#include <stddef.h>

struct udev *cm_udev_new(void) { return CM_POINTER(udev_new); }
void cm_udev_unref(struct udev *udev) { udev_unref(udev); }

struct udev_enumerate *cm_udev_enumerate_new(struct udev *udev) { return CM_POINTER(udev_enumerate_new, udev); }
void cm_udev_enumerate_unref(struct udev_enumerate *enumeration) { udev_enumerate_unref(enumeration); }

int32_t cm_udev_enumerate_add_subsystem(struct udev_enumerate *enumeration, const char *subsystem) {
    return CM_RESULT(udev_enumerate_add_match_subsystem, enumeration, subsystem);
}

int32_t cm_udev_enumerate_add_name(struct udev_enumerate *enumeration, const char *pattern) {
    return CM_RESULT(udev_enumerate_add_match_sysname, enumeration, pattern);
}

int32_t cm_udev_enumerate_scan(struct udev_enumerate *enumeration) {
    return CM_RESULT(udev_enumerate_scan_devices, enumeration);
}

struct udev_list_entry *cm_udev_enumerate_first(struct udev_enumerate *enumeration) {
    return udev_enumerate_get_list_entry(enumeration);
}

struct udev_list_entry *cm_udev_entry_next(struct udev_list_entry *entry) { return udev_list_entry_get_next(entry); }
const char *cm_udev_entry_name(struct udev_list_entry *entry) { return udev_list_entry_get_name(entry); }
const char *cm_udev_entry_value(struct udev_list_entry *entry) { return udev_list_entry_get_value(entry); }

int32_t cm_udev_device_from_syspath(struct udev *udev, const char *path, struct udev_device **device) {
    *device = CM_POINTER(udev_device_new_from_syspath, udev, path);
    return *device ? 0 : -(errno ?: ENOMEM);
}

struct udev_device *cm_udev_device_from_devnum(struct udev *udev, char type, dev_t number) {
    return CM_POINTER(udev_device_new_from_devnum, udev, type, number);
}

void cm_udev_device_unref(struct udev_device *device) { udev_device_unref(device); }
const char *cm_udev_device_syspath(struct udev_device *device) { return udev_device_get_syspath(device); }
const char *cm_udev_device_sysname(struct udev_device *device) { return udev_device_get_sysname(device); }
const char *cm_udev_device_sysnum(struct udev_device *device) { return udev_device_get_sysnum(device); }
const char *cm_udev_device_devnode(struct udev_device *device) { return udev_device_get_devnode(device); }
const char *cm_udev_device_subsystem(struct udev_device *device) { return udev_device_get_subsystem(device); }
const char *cm_udev_device_action(struct udev_device *device) { return udev_device_get_action(device); }
dev_t cm_udev_device_devnum(struct udev_device *device) { return udev_device_get_devnum(device); }

const char *cm_udev_device_property(struct udev_device *device, const char *key) {
    return udev_device_get_property_value(device, key);
}

const char *cm_udev_device_sysattr(struct udev_device *device, const char *name) {
    return udev_device_get_sysattr_value(device, name);
}

int32_t cm_udev_device_is_initialized(struct udev_device *device) { return udev_device_get_is_initialized(device); }

struct udev_list_entry *cm_udev_device_first_property(struct udev_device *device) {
    return udev_device_get_properties_list_entry(device);
}

struct udev_list_entry *cm_udev_device_first_link(struct udev_device *device) {
    return udev_device_get_devlinks_list_entry(device);
}

struct udev_device *cm_udev_device_parent(struct udev_device *device, const char *subsystem, const char *devtype) {
    if (!subsystem) return udev_device_get_parent(device);
    return udev_device_get_parent_with_subsystem_devtype(device, subsystem, devtype);
}

struct udev_monitor *cm_udev_monitor_new(struct udev *udev) {
    return CM_POINTER(udev_monitor_new_from_netlink, udev, "udev");
}
void cm_udev_monitor_unref(struct udev_monitor *monitor) { udev_monitor_unref(monitor); }

int32_t cm_udev_monitor_add_subsystem(struct udev_monitor *monitor, const char *subsystem) {
    return CM_RESULT(udev_monitor_filter_add_match_subsystem_devtype, monitor, subsystem, NULL);
}

int32_t cm_udev_monitor_enable(struct udev_monitor *monitor) {
    return CM_RESULT(udev_monitor_enable_receiving, monitor);
}
int32_t cm_udev_monitor_descriptor(struct udev_monitor *monitor) { return udev_monitor_get_fd(monitor); }
struct udev_device *cm_udev_monitor_receive(struct udev_monitor *monitor) {
    return CM_POINTER(udev_monitor_receive_device, monitor);
}
