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

// Finds pages in bytes that may be damaged (ogg_sync_state).
typedef struct cc_ogg_reader cc_ogg_reader;

// A page whose checksum is right; its bytes stay until the next call on the reader.
struct cc_ogg_page {
    const uint8_t *head;
    size_t head_count;
    const uint8_t *body;
    size_t body_count;
    int64_t granule;
    int is_continued;
    int is_last;
};

// NULL where memory is out.
cc_ogg_reader *cc_ogg_reader_open(void);
// ogg_sync_buffer and ogg_sync_wrote: appends bytes to those that it has. 0 or -ENOMEM.
int cc_ogg_reader_feed(cc_ogg_reader *reader, const uint8_t *bytes, size_t count);
// ogg_sync_pageseek: the length of the page that begins here, or -n of n bytes that were skipped, or 0 for want of bytes.
int64_t cc_ogg_reader_next(cc_ogg_reader *reader, struct cc_ogg_page *out);
// ogg_sync_reset: forgets the bytes that it has.
void cc_ogg_reader_reset(cc_ogg_reader *reader);
// ogg_sync_clear.
void cc_ogg_reader_free(cc_ogg_reader *reader);
