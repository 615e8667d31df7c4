#!/usr/bin/python3
"""deploy/observability/dashboards.py - write Grafana's dashboards from the tables below.

One for each service, so that a team has its own page; the groups of tools share one, with a
variable.
The output is committed, because Grafana reads it. tests/compose/panels.py fails if it is out of
date. No panel shows an account, an address or another datum of a person.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

HERE = "deploy/observability/grafana/dashboards"
SOURCE = {"type": "prometheus", "uid": "prometheus"}
WIDTH, HEIGHT, COLUMNS = 12, 8, 2

# Units of Grafana.
RATE, COUNT, SECONDS, BYTES, SHARE, UP = "reqps", "short", "s", "bytes", "percentunit", "short"


@dataclass
class Panel:
    title: str
    text: str      # the description: what it means, and what to do about it
    unit: str
    queries: list  # (expression, legend)
    warns: float = None  # thresholds; None: no value is bad as such
    fails: float = None
    below: bool = False  # values below the thresholds are bad


@dataclass
class Variable:
    name: str
    label: str
    query: str
    multi: bool = True


@dataclass
class Dashboard:
    uid: str
    title: str
    text: str
    panels: list
    variables: list = field(default_factory=list)


def instances(job):
    return Variable("instance", "Instance", f"label_values(up{{{job}}}, instance)")


def process(job):
    """Panels that every process has."""
    return [
        Panel("Instances up", "Instances that respond to Prometheus. Alerts: InstanceMissing, InstanceRestarting.",
              UP, [(f"sum by (job) (up{{{job}}})", "{{job}}")], fails=1, below=True),
        Panel("CPU", "Seconds of CPU per second and instance; 1 is a whole CPU. If a gateway stays at 1, add gateways.",
              COUNT, [(f"rate(process_cpu_seconds_total{{{job},instance=~\"$instance\"}}[5m])", "{{instance}}")], warns=0.9),
        Panel("Resident memory", "Of each instance. compose.yaml has the limits (mem_limit).",
              BYTES, [(f"process_resident_memory_bytes{{{job},instance=~\"$instance\"}}", "{{instance}}")]),
    ]


EDGE = Dashboard("tollgate-edge", "Tollgate: edge", "HAProxy: TLS, connections, and what it rejects.", [
    Panel("Responses by class", "All responses to clients, with those of the edge itself. Alert: EdgeHighErrorRate.", RATE,
          [('sum by (code) (rate(haproxy_frontend_http_responses_total{proxy="tls",instance=~"$instance"}[5m]))', "{{code}}")]),
    Panel("Share of 5xx", "Of all responses. More than 2 % for minutes is an outage.", SHARE,
          [('sum(rate(haproxy_frontend_http_responses_total{proxy="tls",code="5xx",instance=~"$instance"}[5m]))'
            ' / sum(rate(haproxy_frontend_http_responses_total{proxy="tls",instance=~"$instance"}[5m]))', "5xx")],
          warns=0.005, fails=0.02),
    Panel("Client connections", "At the same time; EDGE_MAX_CONNECTIONS (default 4,000) limits them.", COUNT,
          [('haproxy_frontend_current_sessions{proxy="tls",instance=~"$instance"}', "{{instance}}")],
          warns=3000, fails=4000),
    Panel("Rejected requests and connections", "Limits per address and malformed requests. A flood shows here, not in the log.",
          RATE, [('sum(rate(haproxy_frontend_requests_denied_total{proxy="tls",instance=~"$instance"}[5m]))', "requests"),
                 ('sum(rate(haproxy_frontend_denied_connections_total{proxy="tls",instance=~"$instance"}[5m]))', "connections")]),
    Panel("Ready gateways and portals", "As each edge sees them. Alerts: NoReadyGateway, NoReadyPortal.", UP,
          [('haproxy_backend_active_servers{proxy=~"gateways|portals",instance=~"$instance"}', "{{proxy}} {{instance}}")],
          fails=1, below=True),
    Panel("Waiting for a gateway", "Requests without a place at a gateway. After 5 s they get 503. Add gateways.", COUNT,
          [('sum by (proxy) (haproxy_backend_current_queue{proxy=~"gateways|portals",instance=~"$instance"})', "{{proxy}}")],
          warns=1, fails=100),
    Panel("Days until the certificate expires", "Alerts: CertificateExpiresSoon, CertificateExpiryImminent.", "d",
          [("(tollgate_edge_certificate_expiry_timestamp_seconds - time()) / 86400", "{{instance}}")],
          warns=21, fails=7, below=True),
    Panel("Instances up", "Edges that respond to Prometheus. Alert: EdgeDown.", UP, [('sum(up{job="edge"})', "edges")],
          fails=1, below=True),
], [instances('job="edge"')])

GATEWAY = Dashboard("tollgate-gateway", "Tollgate: gateways", "Calls: checks, charges, dispatch.", [
    Panel("Responses by class", "4xx are clients' mistakes and limits; 5xx are free of charge.", RATE,
          [('sum by (status) (rate(tollgate_http_responses_total{job="gateway",instance=~"$instance"}[5m]))', "{{status}}")]),
    Panel("Failed calls", "Share of calls with a 5xx code that neither the customer's site nor text caused. The objective is"
          " 0.1 % in a month. Alerts: HighErrorRate, ErrorBudgetBurning, MostCallsFailing.", SHARE,
          [('sum by (group) (rate(tollgate_failed_calls_total{tool=~"$tool"}[5m]))'
            ' / sum by (group) (rate(tollgate_http_server_request_duration_seconds_count{group!="",tool=~"$tool"}[5m]))',
            "{{group}}")], warns=0.001, fails=0.0144),
    Panel("Call duration, median and 99th percentile", "From request to response, with the tool. Alert: CallsSlow.", SECONDS,
          [('histogram_quantile(0.5, sum by (le, group) (rate(tollgate_http_server_request_duration_seconds_bucket'
            '{group!="",tool=~"$tool"}[5m])))', "{{group}} 50 %"),
           ('histogram_quantile(0.99, sum by (le, group) (rate(tollgate_http_server_request_duration_seconds_bucket'
            '{group!="",tool=~"$tool"}[5m])))', "{{group}} 99 %")], warns=10, fails=30),
    Panel("Errors by code", "Every code of docs/api/errors.md that occurs.", RATE,
          [('sum by (code) (rate(tollgate_call_errors_total{instance=~"$instance"}[5m])) > 0', "{{code}}")]),
    Panel("Calls by tool", "Answered calls, charged or not.", RATE,
          [('sum by (tool) (rate(tollgate_http_server_request_duration_seconds_count{group!="",tool=~"$tool"}[5m])) > 0',
            "{{tool}}")]),
    Panel("Requests in flight", "gateway.threads (default 1,024) limits them.", COUNT,
          [('tollgate_http_server_active_requests{job="gateway",instance=~"$instance"}', "{{instance}}")], warns=800, fails=1000),
    Panel("Workers of each group", "The fewest over all gateways. Alerts: NoWorker, WorkerMissingOnGateway.", UP,
          [('min by (group) (tollgate_workers{instance=~"$instance"})', "{{group}}")], fails=1, below=True),
    Panel("Calls that wait for a worker", "Add daemons of the group. Alert: JobQueueGrowing.", COUNT,
          [('sum by (group) (tollgate_job_queue_depth{instance=~"$instance"})', "{{group}}")], warns=5, fails=20),
    Panel("Lost workers, retried and rejected jobs", "In 5 minutes. Alerts: WorkersCrashing, WorkersRejected.", COUNT,
          [("sum(increase(tollgate_workers_lost_total[5m]))", "lost workers"),
           ("sum(increase(tollgate_job_retries_total[5m]))", "retried jobs"),
           ("sum(increase(tollgate_job_nacks_total[5m]))", "rejected by a worker"),
           ("sum(increase(tollgate_workers_rejected_total[5m]))", "rejected workers")], warns=1, fails=5),
    Panel("Memory for large responses", "Of gateway.response_memory_mb (default 128 MB).", BYTES,
          [('tollgate_response_memory_reserved_bytes{instance=~"$instance"}', "{{instance}}")], warns=100e6, fails=128e6),
    Panel("Requests of agents", "Messages of the Model Context Protocol, by method and outcome.", RATE,
          [("sum by (method, outcome) (rate(tollgate_mcp_requests_total[5m])) > 0", "{{method}} {{outcome}}")]),
    Panel("Request log: dropped records", "In 5 minutes. Only `share` is normal. Alert: RequestLogIncomplete.", COUNT,
          [('sum by (reason) (increase(tollgate_request_log_dropped_total{instance=~"$instance"}[5m]))', "{{reason}}")]),
    *process('job="gateway"'),
], [instances('job="gateway"'),
    Variable("tool", "Tool", "label_values(tollgate_failed_calls_total, tool)")])

PORTAL = Dashboard("tollgate-portal", "Tollgate: portals", "Pages for members, email, background jobs.", [
    Panel("Responses by class", "Alert: PortalHighErrorRate.", RATE,
          [('sum by (status) (rate(tollgate_http_responses_total{job="portal",instance=~"$instance"}[5m]))', "{{status}}")]),
    Panel("Page duration, median and 95th percentile", "Pages that hash a password take longer.", SECONDS,
          [('histogram_quantile(0.5, sum by (le) (rate(tollgate_http_server_request_duration_seconds_bucket{job="portal"}[5m])))',
            "50 %"),
           ('histogram_quantile(0.95, sum by (le) (rate(tollgate_http_server_request_duration_seconds_bucket{job="portal"}[5m])))',
            "95 %")], warns=1, fails=5),
    Panel("Oldest email in the queue", "Alert after 10 minutes: MailQueueDelayed.", SECONDS,
          [("max(tollgate_mail_queue_oldest_age_seconds)", "oldest")], warns=120, fails=600),
    Panel("Email attempts", "In 5 minutes, by result.", COUNT,
          [("sum by (result) (increase(tollgate_mail_attempts_total[5m]))", "{{result}}")]),
    Panel("Passwords hashed", "In 5 minutes, by outcome. Many failures are guesses.", COUNT,
          [("sum by (outcome) (increase(tollgate_password_hashes_total[5m]))", "{{outcome}}")]),
    Panel("Delay of background jobs", "Of the most delayed. Alert after 15 minutes: BackgroundJobsLate.", SECONDS,
          [("max(tollgate_background_job_delay_seconds)", "delay")], warns=300, fails=900),
    Panel("Failed steps of background jobs", "In 5 minutes, by task.", COUNT,
          [('sum by (task) (increase(tollgate_background_job_steps_total{result="failed"}[5m])) > 0', "{{task}}")], warns=1),
    Panel("Skipped accounts", "Rows of an account contradict each other. Alert: AccountsSkipped.", COUNT,
          [("max(tollgate_skipped_accounts)", "accounts")], fails=1),
    *process('job="portal"'),
], [instances('job="portal"')])

GROUP = Dashboard("tollgate-group", "Tollgate: a group of tools", "The daemons of one group; each team selects its own.", [
    Panel("Calls by tool", "Answered calls at the gateways.", RATE,
          [('sum by (tool) (rate(tollgate_http_server_request_duration_seconds_count{group="$group"}[5m]))', "{{tool}}")]),
    Panel("Failed calls by tool", "Share of calls with a 5xx code that neither the customer's site nor text caused."
          " Alert: ToolFailing.", SHARE,
          [('sum by (tool) (rate(tollgate_failed_calls_total{group="$group"}[5m]))'
            ' / sum by (tool) (rate(tollgate_http_server_request_duration_seconds_count{group="$group"}[5m]))', "{{tool}}")],
          warns=0.01, fails=0.5),
    Panel("Time inside the tool, 99th percentile", "Without queues and charges.", SECONDS,
          [('histogram_quantile(0.99, sum by (le, tool) (rate(tollgate_job_duration_seconds_bucket'
            '{job="svc-$group",instance=~"$instance"}[5m])))', "{{tool}}")], warns=10, fails=30),
    Panel("Jobs with an error", "By tool; most are bad input or sites that do not respond.", RATE,
          [('sum by (tool) (rate(tollgate_jobs_failed_total{job="svc-$group",instance=~"$instance"}[5m])) > 0', "{{tool}}")]),
    Panel("Running jobs", "At the same time, of each daemon.", COUNT,
          [('tollgate_jobs_running{job="svc-$group",instance=~"$instance"}', "{{instance}}")]),
    Panel("Calls that wait for a worker", "At the gateways. Alert: JobQueueGrowing.", COUNT,
          [('sum(tollgate_job_queue_depth{group="$group"})', "waiting")], warns=5, fails=20),
    Panel("Gateways that each daemon knows", "Fewer than there are: the daemon cannot reach one.", UP,
          [('tollgate_gateways_connected{job="svc-$group",instance=~"$instance"}', "{{instance}}")], fails=1, below=True),
    Panel("Credits charged", "Per second, by tool.", COUNT,
          [('sum by (tool) (rate(tollgate_credits_charged_total{group="$group"}[5m])) > 0', "{{tool}}")]),
    *process('job="svc-$group"'),
], [Variable("group", "Group", "label_values(tollgate_workers, group)", multi=False), instances('job="svc-$group"')])

MODELS = Dashboard("tollgate-models", "Tollgate: model providers", "What svc-ai asks of model providers, and what it costs.", [
    Panel("Calls by outcome", "Alerts: ModelProviderFailing, ModelAnswersInvalid.", RATE,
          [('sum by (outcome) (rate(tollgate_model_calls_total{provider=~"$provider"}[5m]))', "{{outcome}}")]),
    Panel("Duration, 95th percentile", "Of a provider's answer.", SECONDS,
          [('histogram_quantile(0.95, sum by (le, provider) (rate(tollgate_model_call_duration_seconds_bucket'
            '{provider=~"$provider"}[5m])))', "{{provider}}")], warns=20, fails=40),
    Panel("Calls in flight", "max_calls in the providers' file limits them.", COUNT,
          [('sum by (provider) (tollgate_model_calls_running{provider=~"$provider"})', "{{provider}}")]),
    Panel("Tokens", "Per second, as providers count them.", COUNT,
          [('sum by (provider) (rate(tollgate_model_tokens_total{provider=~"$provider"}[5m]))', "{{provider}}")]),
    Panel("Corrections", "Questions that were asked again for a better answer, in 5 minutes.", COUNT,
          [("sum(increase(tollgate_model_corrections_total[5m]))", "corrections")]),
    Panel("Part of the daily budget that is spent", "Only providers with a price. Alert from 80 %: ModelBudgetLow.", SHARE,
          [('tollgate_model_budget_spent_micros{provider=~"$provider"} / tollgate_model_budget_micros{provider=~"$provider"}',
            "{{provider}} {{instance}}")], warns=0.8, fails=1),
], [Variable("provider", "Provider", "label_values(tollgate_model_calls_total, provider)")])

DATABASE = Dashboard("tollgate-database", "Tollgate: database", "PostgreSQL, as gateways and portals see it.", [
    Panel("Connected", "1: a gateway or portal is connected. Alert: DatabaseDown.", UP,
          [("min by (job) (tollgate_database_up)", "{{job}}")], fails=1, below=True),
    Panel("Failed transactions", "PostgreSQL responds but cannot write. Alert: DatabaseWritesFailing.", COUNT,
          [("sum by (cause) (increase(tollgate_ledger_failed_transactions_total[5m]))", "{{cause}}")], fails=1),
    Panel("Transactions of the ledger", "Per second, of each gateway.", RATE,
          [('rate(tollgate_ledger_transactions_total{instance=~"$instance"}[5m])', "{{instance}}")]),
    Panel("Items per transaction", "Grows with the load, up to 128.", COUNT,
          [("sum(rate(tollgate_ledger_items_total[5m])) / sum(rate(tollgate_ledger_transactions_total[5m]))", "items")],
          warns=100, fails=128),
    Panel("Items that met a locked account", "Per second. Alert: AccountLockContention.", COUNT,
          [("sum(rate(tollgate_ledger_lock_conflicts_total[5m]))", "items")], warns=1, fails=5),
    Panel("Expired holds", "In 5 minutes: calls that ended without a settlement. Alert: HoldsExpiring.", COUNT,
          [("sum(increase(tollgate_ledger_expired_holds_total[5m]))", "holds")], warns=1, fails=10),
    Panel("Interrupted commits", "Items in 5 minutes whose outcome was lost with the connection."
          " Alert: LedgerCommitsInterrupted.", COUNT,
          [("sum(increase(tollgate_ledger_interrupted_commits_total[5m]))", "items")], warns=1, fails=10),
    Panel("Unknown outcomes", "Calls in 5 minutes whose client does not know whether it was charged, and calls that wait for"
          " an operator. Alerts: LedgerOutcomeUnknown, LedgerCallsUnsettled.", COUNT,
          [("sum(increase(tollgate_ledger_unknown_outcomes_total[5m]))", "new"),
           ("max(tollgate_ledger_unsettled_calls)", "not settled")], fails=1),
    Panel("Work without pay", "Optimistic calls in 5 minutes that were rejected after their work.", COUNT,
          [("sum(increase(tollgate_ledger_unpaid_calls_total[5m]))", "calls")]),
    Panel("Age of the newest signed root", "If you sign roots. Alert after 3 hours: LedgerRootLate.", SECONDS,
          [("time() - (max(tollgate_ledger_root_timestamp_seconds) > 0)", "age")], warns=7200, fails=10800),
    Panel("Age of the newest backup", "Of any type. Alerts: BackupLate after 26 hours, BackupServiceSilent.", SECONDS,
          [("time() - (max(tollgate_backup_timestamp_seconds) > 0)", "any type"),
           ("time() - (max(tollgate_backup_full_timestamp_seconds) > 0)", "full")], warns=90000),
    Panel("Charges that a restore would lose", "Time since a segment of the write-ahead log was archived. Alert after 5"
          " minutes: WalArchivingLate.", SECONDS,
          [("time() - (max(tollgate_wal_archived_timestamp_seconds) > 0)", "age")], warns=120, fails=300),
    Panel("Size of all backups", "Compressed, without the write-ahead log.", BYTES,
          [("max(tollgate_backup_bytes)", "bytes")]),
    Panel("Request log", "Records per second, and records that wait in gateways (at most 24,576 each).", COUNT,
          [("sum(rate(tollgate_request_log_records_total[5m]))", "written per second"),
           ("max(tollgate_request_log_waiting)", "waiting")], warns=10000, fails=24000),
], [instances('job="gateway"')])

SALES = Dashboard("tollgate-sales", "Tollgate: sign-ups and sales", "Sums only: no account, no member, no address.", [
    Panel("Sign-ups in 24 hours", "Accounts opened, by the outcome of their sign-up credits. Alerts: SignupGrantsWithheld,"
          " SignupGrantBudgetLow.", COUNT,
          [("sum by (grant) (increase(tollgate_signups_total[1d]))", "{{grant}}")], warns=1600, fails=2000),
    Panel("Orders paid in 24 hours", "live: with money; test: the processor's tests.", COUNT,
          [("max by (mode) (tollgate_orders_paid_last_day)", "{{mode}}")]),
    Panel("Credits sold in 24 hours", "Of these orders.", COUNT,
          [("max by (mode) (tollgate_credits_sold_last_day)", "{{mode}}")]),
    Panel("Credits charged in 24 hours", "What customers used, by tool.", COUNT,
          [("sum by (tool) (increase(tollgate_credits_charged_total[1d])) > 0", "{{tool}}")]),
    Panel("Payment pages requested", "In 1 hour, by result. Alert: CheckoutCreationFailing.", COUNT,
          [("sum by (result) (increase(tollgate_payment_page_requests_total[1h]))", "{{result}}")]),
    Panel("Webhooks", "In 1 hour, by result. Alert: WebhooksRejected.", COUNT,
          [("sum by (result) (increase(tollgate_webhooks_total[1h]))", "{{result}}")]),
    Panel("Orders that need you", "Alerts: OrdersInReview, OrdersMismatched, PaymentBalanceDiffers.", COUNT,
          [("max(tollgate_orders_in_review)", "in review"), ("max(tollgate_orders_mismatched)", "mismatched"),
           ("max(tollgate_payment_balance_differing_orders)", "differ from the balance")], fails=1),
    Panel("Oldest waiting payment event", "Alert after 10 minutes: PaymentEventsDelayed.", SECONDS,
          [("max(tollgate_payment_event_oldest_age_seconds)", "oldest")], warns=120, fails=600),
    Panel("Credits owed", "Of refunds and disputes that were already spent.", COUNT,
          [("max(tollgate_credits_owed)", "credits")]),
    Panel("Connected apps", "That are not revoked. Alert: OAuthReplays.", COUNT,
          [("max(tollgate_oauth_grants)", "apps"), ("sum(increase(tollgate_oauth_replays_total[1h]))", "revoked for a replay")]),
])

OVERVIEW = Dashboard("tollgate", "Tollgate: overview", "The first page to open: what customers notice.", [
    EDGE.panels[0], EDGE.panels[1], GATEWAY.panels[1], GATEWAY.panels[2], GATEWAY.panels[6], GATEWAY.panels[7],
    EDGE.panels[4], DATABASE.panels[0], DATABASE.panels[7], PORTAL.panels[0],
    Panel("CPU, by service", "Seconds of CPU per second.", COUNT,
          [("sum by (job) (rate(process_cpu_seconds_total[5m]))", "{{job}}")]),
    Panel("Resident memory, by service", "Sum over the instances.", BYTES,
          [("sum by (job) (process_resident_memory_bytes)", "{{job}}")]),
    Panel("Instances up, by service", "That respond to Prometheus.", UP, [("sum by (job) (up)", "{{job}}")], fails=1, below=True),
    Panel("Versions", "More than one for half an hour: an upgrade that stopped halfway. Alert: MixedVersions.", COUNT,
          [("count by (version, build) (tollgate_build_info)", "{{version}} {{build}}")]),
], [Variable("instance", "Instance", "label_values(up, instance)"),
    Variable("tool", "Tool", "label_values(tollgate_failed_calls_total, tool)")])

DASHBOARDS = [OVERVIEW, EDGE, GATEWAY, PORTAL, GROUP, MODELS, DATABASE, SALES]


# -- as Grafana reads them --


def steps(panel):
    """The lowest step comes first."""
    good, warns, fails = ("green", None), ("orange", panel.warns), ("red", panel.fails)
    marks = [mark for mark in (warns, fails) if mark[1] is not None]
    if panel.below:
        colors = [color for color, _ in reversed(marks)] + [good[0]]
        return [{"color": colors[0], "value": None}] + [
            {"color": color, "value": value} for color, (_, value) in zip(colors[1:], reversed(marks))]
    return [{"color": color, "value": value} for color, value in [good, *marks]]


def panel_of(number, panel):
    has_marks = panel.warns is not None or panel.fails is not None
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.text,
        "datasource": SOURCE,
        "gridPos": {"x": number % COLUMNS * WIDTH, "y": number // COLUMNS * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {
            "unit": panel.unit, "min": 0,
            "thresholds": {"mode": "absolute", "steps": steps(panel)},
            "custom": {"thresholdsStyle": {"mode": "line" if has_marks else "off"}},
        }, "overrides": []},
        "targets": [{"refId": chr(ord("A") + i), "datasource": SOURCE, "expr": expression, "legendFormat": legend}
                    for i, (expression, legend) in enumerate(panel.queries)],
    }


def variable_of(variable):
    return {
        "name": variable.name, "label": variable.label, "type": "query", "datasource": SOURCE,
        "query": {"query": variable.query, "refId": variable.name}, "definition": variable.query,
        "refresh": 2, "sort": 1, "multi": variable.multi, "includeAll": variable.multi,
        **({"allValue": ".*", "current": {"text": "All", "value": "$__all"}} if variable.multi else {}),
    }


def content_of(dashboard):
    return json.dumps({
        "uid": dashboard.uid, "title": dashboard.title, "description": dashboard.text, "tags": ["tollgate"],
        "schemaVersion": 39, "editable": False, "refresh": "30s", "timezone": "utc",
        "time": {"from": "now-3h", "to": "now"},
        "links": [{"type": "dashboards", "title": "Tollgate", "tags": ["tollgate"], "asDropdown": True,
                   "includeVars": False, "keepTime": True}],
        "templating": {"list": [variable_of(variable) for variable in dashboard.variables]},
        "annotations": {"list": []},
        "panels": [panel_of(number, panel) for number, panel in enumerate(dashboard.panels)],
    }, indent=1) + "\n"


def files():
    """{name: content}"""
    return {f"{dashboard.uid}.json": content_of(dashboard) for dashboard in DASHBOARDS}


def main():
    folder = Path(__file__).resolve().parents[2] / HERE
    for name, content in files().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
