/* svc-reports/paper/style.h - how a report looks: on paper, on a desk, in a hand. */
#pragma once

extern const char paper_style[]; /* CSS, without anything that would end a style element */
