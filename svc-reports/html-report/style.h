/* svc-reports/html-report/style.h - the style sheet of reports, for screens, phones and print. */
#pragma once

extern const char html_report_style[]; /* CSS without "</", which would close the style element */
