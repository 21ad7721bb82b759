// libogg's stream of pages. Wrapped because a page is two pointers into memory of the stream's own.
#pragma once
#include "cc_packets.h"

typedef struct cc_ogg cc_ogg;

// ogg_stream_init. NULL where memory is out.
cc_ogg *cc_ogg_open(int32_t serial);
// ogg_stream_packetin: `granule` is that of the packet's end. 0 or -errno.
int cc_ogg_put(cc_ogg *ogg, const uint8_t *bytes, size_t count, int64_t granule, int is_last);
// Bytes of packets that are on no page yet.
size_t cc_ogg_waiting(const cc_ogg *ogg);
// ogg_stream_flush: everything that waits, as pages that are one packet of `pages`. 0 or -errno.
int cc_ogg_flush(cc_ogg *ogg, cc_packets *pages, int64_t time, int64_t duration);
// ogg_stream_clear.
void cc_ogg_free(cc_ogg *ogg);
// ogg_page_checksum_set: the checksum of a page of which `head` bytes come before its body.
void cc_ogg_checksum(uint8_t *page, size_t head, size_t count);
