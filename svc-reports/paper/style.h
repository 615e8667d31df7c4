/* svc-reports/paper/style.h - how a report looks: on paper, on a desk, in a hand. */
#ifndef SVC_REPORTS_PAPER_STYLE_H
#define SVC_REPORTS_PAPER_STYLE_H

extern const char paper_style[]; /* CSS, without anything that would end a style element */

#endif
