#if !__has_include(<ogg/ogg.h>)
#include "../Packages/missing.h"
#endif
#include "cc_ogg.h"

#include <errno.h>
#include <limits.h>
#include <ogg/ogg.h>
#include <stdlib.h>
#include <string.h>

struct cc_ogg {
    ogg_stream_state stream;
    ogg_int64_t packets;
};

cc_ogg *cc_ogg_open(int32_t serial) {
    cc_ogg *ogg = calloc(1, sizeof *ogg);
    if (!ogg) return NULL;
    if (ogg_stream_init(&ogg->stream, serial) == 0) return ogg;
    free(ogg);
    return NULL;
}

int cc_ogg_put(cc_ogg *ogg, const uint8_t *bytes, size_t count, int64_t granule, int is_last) {
    if (count > LONG_MAX / 2) return -EINVAL;
    ogg_packet packet = {
        // libogg copies it, and its type lacks a const.
        .packet = (unsigned char *)bytes, .bytes = (long)count, .b_o_s = ogg->packets == 0, .e_o_s = is_last,
        .granulepos = granule, .packetno = ogg->packets,
    };
    if (ogg_stream_packetin(&ogg->stream, &packet) != 0) return -ENOMEM;
    ogg->packets++;
    return 0;
}

size_t cc_ogg_waiting(const cc_ogg *ogg) {
    return (size_t)(ogg->stream.body_fill - ogg->stream.body_returned);
}

static void copy(cc_packets *pages, size_t at, const ogg_page *page) {
    memcpy(pages->bytes + at, page->header, (size_t)page->header_len);
    memcpy(pages->bytes + at + page->header_len, page->body, (size_t)page->body_len);
}

int cc_ogg_flush(cc_ogg *ogg, cc_packets *pages, int64_t time, int64_t duration) {
    ogg_page page;
    size_t count = 0;
    while (ogg_stream_flush(&ogg->stream, &page) != 0) {
        size_t size = (size_t)(page.header_len + page.body_len);
        if (cc_packets_reserve(pages, count + size) < 0) return -ENOMEM;
        copy(pages, pages->count + count, &page);
        count += size;
    }
    return count == 0 ? 0 : cc_packets_commit(pages, count, time, duration, 1);
}

void cc_ogg_free(cc_ogg *ogg) {
    if (!ogg) return;
    ogg_stream_clear(&ogg->stream);
    free(ogg);
}

void cc_ogg_checksum(uint8_t *page, size_t head, size_t count) {
    ogg_page whole = {page, (long)head, page + head, (long)(count - head)};
    ogg_page_checksum_set(&whole);
}

struct cc_ogg_reader {
    ogg_sync_state sync;
};

cc_ogg_reader *cc_ogg_reader_open(void) {
    cc_ogg_reader *reader = calloc(1, sizeof *reader);
    if (reader) ogg_sync_init(&reader->sync);
    return reader;
}

int cc_ogg_reader_feed(cc_ogg_reader *reader, const uint8_t *bytes, size_t count) {
    if (count > LONG_MAX / 2) return -ENOMEM;
    char *room = ogg_sync_buffer(&reader->sync, (long)count);
    if (!room) return -ENOMEM;
    memcpy(room, bytes, count);
    return ogg_sync_wrote(&reader->sync, (long)count) == 0 ? 0 : -ENOMEM;
}

int64_t cc_ogg_reader_next(cc_ogg_reader *reader, struct cc_ogg_page *out) {
    ogg_page page;
    long found = ogg_sync_pageseek(&reader->sync, &page);
    if (found <= 0) return found;
    *out = (struct cc_ogg_page){
        .head = page.header, .head_count = (size_t)page.header_len, .body = page.body, .body_count = (size_t)page.body_len,
        .granule = ogg_page_granulepos(&page), .is_continued = ogg_page_continued(&page) != 0,
        .is_last = ogg_page_eos(&page) != 0,
    };
    return found;
}

void cc_ogg_reader_reset(cc_ogg_reader *reader) { ogg_sync_reset(&reader->sync); }

void cc_ogg_reader_free(cc_ogg_reader *reader) {
    if (!reader) return;
    ogg_sync_clear(&reader->sync);
    free(reader);
}
