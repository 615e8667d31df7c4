/*
 * svc-chat/chatplatform-embed-build/components.h - the component tree and shared checks. Source:
 * the platform's "Component Reference", as of 2026-08-06.
 */
#pragma once

#include "build.h"
#include "text/names.h"

enum {
    ROWS_MAX = 5,
    ROW_BUTTONS_MAX = 5,
    COMPONENTS_MAX = 40,
    TEXT_TOTAL_MAX = 4000, /* of all text displays together */
    CUSTOM_ID_MAX = 100,
    LABEL_MAX = 80,
    BUTTON_URL_MAX = 512,
    OPTIONS_MAX = 25,
    OPTION_TEXT_MAX = 100,
    PLACEHOLDER_MAX = 150,
    MEDIA_TEXT_MAX = 1024,
    SECTION_TEXTS_MAX = 3,
    GALLERY_ITEMS_MAX = 10,
    CHANNEL_TYPES = 0x1FC3F, /* bits: 0 to 5, 10 to 16 */
    MODAL_PARTS_MAX = 5,
    INPUT_LABEL_MAX = 45,
    INPUT_TEXT_MAX = 4000,
    INPUT_PLACEHOLDER_MAX = 100,
    CHOICES_MAX = 10, /* of a radio or checkbox group; files of an upload */
    FILE_TYPES_MAX = 10,
};

/* Where a component is allowed. */
enum place {
    IN_TOP = 1,
    IN_ROW = 2,
    IN_CONTAINER = 4,
    IN_SECTION = 8,
    IN_ACCESSORY = 16,
    IN_MODAL = 32,
    IN_MODAL_ROW = 64,
    IN_LABEL = 128,
    IN_ANY_MODAL = IN_MODAL | IN_MODAL_ROW | IN_LABEL,
};

struct tree {
    struct build *build;
    struct names custom_ids;
    struct names ids;
    struct candidate texts[COMPONENTS_MAX]; /* the first text displays */
    size_t text_count;
    size_t text_total;
    bool uses_v2;
    bool is_modal;
};

typedef void check_component(struct tree *tree, const struct path *path, const cJSON *node);

/* ---- tree.c ---- */

int type_of(const cJSON *node); /* 0: not a component type */

/* Record an error if the number of components is not min to max. */
void check_count(struct tree *tree, const struct path *path, size_t count, size_t min, size_t max,
                 const char *what);

/* Record an error if another component has the same custom_id. */
void record_custom_id(struct tree *tree, const struct path *path, const cJSON *node);

/* ---- choices.c ---- */

/* Check min_values and max_values up to `most`; `chosen` options or ids are preselected. */
void check_range(struct tree *tree, const struct path *path, const cJSON *node, int64_t most,
                 int64_t absent_max, int64_t chosen);

/* The members that all parts of a modal have. */
check_component check_field;

check_component check_select, check_radios, check_checkboxes;

/* ---- modal.c ---- */

check_component check_input, check_upload, check_checkbox;
