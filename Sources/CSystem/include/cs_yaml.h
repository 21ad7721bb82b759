#pragma once

#include <stddef.h>
#include <stdint.h>

// libyaml's event parser. Why shims: yaml_parser_t and yaml_event_t are unions of some hundred bytes each, which Swift would have
// to keep at one place in memory, and the failure of a call is in seven members of the first.

enum {
    CS_YAML_END = 0,  // of the stream; nothing follows
    CS_YAML_DOCUMENT = 1,
    CS_YAML_DOCUMENT_END = 2,
    CS_YAML_SCALAR = 3,
    CS_YAML_SEQUENCE = 4,
    CS_YAML_SEQUENCE_END = 5,
    CS_YAML_MAPPING = 6,
    CS_YAML_MAPPING_END = 7,
    CS_YAML_ALIAS = 8,
    CS_YAML_STREAM = 9,  // its beginning: the first event of all
};

struct cs_yaml_event {
    int kind;
    int has_anchor;   // a scalar, a sequence or a mapping that was given a name
    int is_plain;     // a scalar without quotes; a sequence or a mapping without brackets
    size_t line;      // of its beginning, from 0 upwards
    size_t column;    // in characters from 0 upwards
    const char *text; // of a scalar: UTF-8, not ended by NUL, valid until the next event
    size_t length;
};

struct cs_yaml_problem {
    int is_reading;       // the bytes are no text, and the position is not known
    const char *problem;  // "did not find expected key"
    size_t line;
    size_t column;
    const char *context;  // "while parsing a block mapping", from where the next two say; NULL without one
    size_t context_line;
    size_t context_column;
};

// -ENOMEM. The bytes, UTF-8, must stay in place until the parser is dropped.
int cs_yaml_begin(const void *bytes, size_t count, void **parser);
// 0 with the next event; -ENOMEM, or -EILSEQ where the bytes are not YAML.
int cs_yaml_next(void *parser, struct cs_yaml_event *out);
// Reason why the last call failed with -EILSEQ; its text is always valid.
void cs_yaml_problem(void *parser, struct cs_yaml_problem *out);
void cs_yaml_drop(void *parser);
