#if !__has_include(<yaml.h>)
#include "../Packages/missing.h"
#endif
#include "cs_yaml.h"

#include <errno.h>
#include <stdlib.h>

#include <yaml.h>

struct reading {
    yaml_parser_t parser;
    yaml_event_t event;  // the last one, whose text is given out
};

int cs_yaml_begin(const void *bytes, size_t count, void **out) {
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL) return -ENOMEM;
    if (yaml_parser_initialize(&reading->parser) == 0) {
        free(reading);
        return -ENOMEM;
    }
    // Said, since the library else takes a first byte of 0xFF or 0xFE for the mark of another encoding.
    yaml_parser_set_encoding(&reading->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading->parser, bytes, count);
    *out = reading;
    return 0;
}

static void flatten(const yaml_event_t *from, struct cs_yaml_event *out) {
    *out = (struct cs_yaml_event){.line = from->start_mark.line, .column = from->start_mark.column};
    switch (from->type) {
    case YAML_STREAM_START_EVENT: out->kind = CS_YAML_STREAM; break;
    case YAML_DOCUMENT_START_EVENT: out->kind = CS_YAML_DOCUMENT; break;
    case YAML_DOCUMENT_END_EVENT: out->kind = CS_YAML_DOCUMENT_END; break;
    case YAML_SEQUENCE_END_EVENT: out->kind = CS_YAML_SEQUENCE_END; break;
    case YAML_MAPPING_END_EVENT: out->kind = CS_YAML_MAPPING_END; break;
    case YAML_ALIAS_EVENT: out->kind = CS_YAML_ALIAS; break;
    case YAML_SCALAR_EVENT:
        out->kind = CS_YAML_SCALAR;
        out->has_anchor = from->data.scalar.anchor != NULL;
        out->is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        out->text = (const char *)from->data.scalar.value;
        out->length = from->data.scalar.length;
        break;
    case YAML_SEQUENCE_START_EVENT:
        out->kind = CS_YAML_SEQUENCE;
        out->has_anchor = from->data.sequence_start.anchor != NULL;
        out->is_plain = from->data.sequence_start.style == YAML_BLOCK_SEQUENCE_STYLE;
        break;
    case YAML_MAPPING_START_EVENT:
        out->kind = CS_YAML_MAPPING;
        out->has_anchor = from->data.mapping_start.anchor != NULL;
        out->is_plain = from->data.mapping_start.style == YAML_BLOCK_MAPPING_STYLE;
        break;
    default: out->kind = CS_YAML_END; break;
    }
}

int cs_yaml_next(void *parser, struct cs_yaml_event *out) {
    struct reading *reading = parser;
    yaml_event_delete(&reading->event);
    if (yaml_parser_parse(&reading->parser, &reading->event) == 0) {
        return reading->parser.error == YAML_MEMORY_ERROR ? -ENOMEM : -EILSEQ;
    }
    flatten(&reading->event, out);
    return 0;
}

void cs_yaml_problem(void *parser, struct cs_yaml_problem *out) {
    const yaml_parser_t *from = &((struct reading *)parser)->parser;
    *out = (struct cs_yaml_problem){
        .is_reading = from->error == YAML_READER_ERROR,
        .problem = from->problem != NULL ? from->problem : "it is not understood",
        .line = from->problem_mark.line,
        .column = from->problem_mark.column,
        .context = from->context,
        .context_line = from->context_mark.line,
        .context_column = from->context_mark.column,
    };
}

void cs_yaml_drop(void *parser) {
    struct reading *reading = parser;
    if (reading == NULL) return;
    yaml_event_delete(&reading->event);
    yaml_parser_delete(&reading->parser);
    free(reading);
}
