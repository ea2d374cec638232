import { of, quantile, quantiles, rate, sumBy } from "./panel.ts";
import type { Panel, Row } from "./panel.ts";

function stat(title: string, expr: string, unit: Panel["unit"] = "short"): Panel {
  return { title, kind: "stat", unit, queries: [{ expr, legend: "" }] };
}

function graph(
  title: string,
  unit: Panel["unit"],
  ...queries: readonly (readonly [expr: string, legend: string])[]
): Panel {
  return {
    title,
    kind: "timeseries",
    unit,
    queries: queries.map(([expr, legend]) => ({ expr, legend })),
  };
}

const each = "{{instance}}";

const overview: Row = {
  title: "Overview",
  panels: [
    stat("Nodes ready", sumBy("", of("postdate_ready"))),
    stat("Pending", `max(${of("postdate_pending_messages")})`),
    stat("Overdue", `max(${of("postdate_overdue_messages")})`),
    stat("Oldest overdue", `max(${of("postdate_oldest_overdue_age_seconds")})`, "s"),
    stat("Lateness p99", quantile(0.99, "postdate_delivery_lateness_seconds"), "s"),
    stat("Dead letters per hour", `sum(increase(${of("postdate_dead_letters_total")}[1h]))`),
    graph(
      "Waiting messages",
      "short",
      [`max(${of("postdate_pending_messages")})`, "pending"],
      [`max(${of("postdate_overdue_messages")})`, "overdue"],
    ),
    graph("Versions", "short", [
      sumBy("version, node_version", of("postdate_build_info")),
      "{{version}} on Node.js {{node_version}}",
    ]),
    graph("Age of these counts", "s", [of("postdate_pending_messages_age_seconds"), each]),
  ],
};

const deliveries: Row = {
  title: "Deliveries",
  panels: [
    {
      ...graph("Lateness", "s"),
      description: "From the instant a message was due to the start of its attempt.",
      queries: quantiles("postdate_delivery_lateness_seconds"),
    },
    graph("Attempts by outcome", "ops", [
      sumBy("outcome", rate("postdate_attempts_total")),
      "{{outcome}}",
    ]),
    {
      ...graph("How long attempts take", "s"),
      queries: quantiles("postdate_attempt_duration_seconds"),
    },
    graph(
      "Slots",
      "short",
      [of("postdate_in_flight"), `${each} in flight`],
      [of("postdate_slots"), `${each} limit`],
    ),
    graph(
      "Changes by callers, and claims",
      "ops",
      [sumBy("change", rate("postdate_message_changes_total")), "{{change}}"],
      [sumBy("", rate("postdate_claims_total")), "claimed"],
    ),
    graph("Dead letters", "ops", [sumBy("instance", rate("postdate_dead_letters_total")), each]),
  ],
};

const callers: Row = {
  title: "Callers",
  panels: [
    graph("Requests by status", "reqps", [
      sumBy("status", rate("postdate_http_requests_total")),
      "{{status}}",
    ]),
    graph("Requests by route", "reqps", [
      `topk(10, ${sumBy("method, route", rate("postdate_http_requests_total"))})`,
      "{{method}} {{route}}",
    ]),
    graph("How long requests take, p99 by route", "s", [
      `topk(10, ${quantile(0.99, "postdate_http_request_duration_seconds", "method, route")})`,
      "{{method}} {{route}}",
    ]),
    graph(
      "Turned away",
      "reqps",
      [sumBy("reason", rate("postdate_requests_shed_total")), "overload: {{reason}}"],
      [sumBy("", rate("postdate_requests_limited_total")), "limit of the account"],
    ),
  ],
};

const store: Row = {
  title: "Store",
  panels: [
    graph("How long calls take, p99 by verb", "s", [
      `topk(10, ${quantile(0.99, "postdate_store_call_duration_seconds", "verb")})`,
      "{{verb}}",
    ]),
    graph("Waiting calls", "short", [of("postdate_store_waiting_calls"), each]),
    graph("Calls that share a commit, on average", "short", [
      `${sumBy("instance", rate("postdate_store_batch_size_sum"))} / ${sumBy("instance", rate("postdate_store_batch_size_count"))}`,
      each,
    ]),
    graph(
      "Troubles",
      "ops",
      [sumBy("instance", rate("postdate_engine_troubles_total")), each],
      [sumBy("", rate("postdate_activity_lost_attempts_total")), "attempts lost for statistics"],
    ),
  ],
};

const jobs: Row = {
  title: "Schedules and jobs",
  panels: [
    graph("Runs by outcome", "ops", [
      sumBy("outcome", rate("postdate_schedule_runs_total")),
      "{{outcome}}",
    ]),
    graph("Schedules that wait for their step", "s", [of("postdate_schedule_lag_seconds"), each]),
    graph(
      "Steps of schedules",
      "ops",
      [sumBy("", rate("postdate_schedules_advanced_total")), "steps"],
      [sumBy("", rate("postdate_schedules_paused_total")), "paused themselves"],
    ),
    graph(
      "Messages met by jobs",
      "ops",
      [sumBy("action", rate("postdate_job_changes_total")), "{{action}}: changed"],
      [sumBy("action", rate("postdate_job_skips_total")), "{{action}}: skipped"],
    ),
    graph(
      "Jobs",
      "short",
      [of("postdate_running_jobs"), each],
      [sumBy("", rate("postdate_jobs_paused_total")), "paused themselves, per second"],
    ),
    graph("Longest wait of a job for its step", "s", [of("postdate_job_step_age_seconds"), each]),
  ],
};

const events: Row = {
  title: "Events",
  panels: [
    graph(
      "Events",
      "ops",
      [sumBy("", rate("postdate_events_moved_total")), "moved into logs"],
      [sumBy("", rate("postdate_events_removed_total")), "removed by age"],
    ),
    graph("Longest wait of an event for its place in the log", "s", [
      of("postdate_event_move_lag_seconds"),
      each,
    ]),
    graph("Streams and waiting reads", "short", [of("postdate_event_listeners"), each]),
    graph(
      "Webhooks of events",
      "short",
      [of("postdate_event_webhooks"), each],
      [of("postdate_event_webhooks_failing"), `${each} failing`],
    ),
    graph("Events behind the slowest webhook", "short", [
      of("postdate_event_webhook_lag_events"),
      each,
    ]),
  ],
};

const nodes: Row = {
  title: "Nodes",
  panels: [
    graph("Age of the lease", "s", [of("postdate_lease_age_seconds"), each]),
    graph("Age of the look ahead", "s", [of("postdate_look_ahead_age_seconds"), each]),
    graph("Delay of the event loop, p99", "s", [of("nodejs_eventloop_lag_p99_seconds"), each]),
    graph("Processor", "percentunit", [rate("process_cpu_seconds_total"), each]),
    graph(
      "Memory",
      "bytes",
      [of("process_resident_memory_bytes"), `${each} resident`],
      [of("nodejs_heap_size_used_bytes"), `${each} heap`],
    ),
    graph("Open files", "short", [of("process_open_fds"), each]),
    graph("Secrets sealed anew", "ops", [rate("postdate_values_sealed_anew_total"), each]),
  ],
};

const targets: Row = {
  title: "Busiest targets (--metrics-per-target)",
  panels: [
    graph("Attempts by target", "ops", [
      `topk(10, ${sumBy("account, target", rate("postdate_target_attempts_total"))})`,
      "{{account}} {{target}}",
    ]),
    graph("Failing attempts by target", "ops", [
      `topk(10, ${sumBy("account, target", rate("postdate_target_attempts_total", 'outcome!="DELIVERED"'))})`,
      "{{account}} {{target}}",
    ]),
    graph("How long attempts take, on average", "s", [
      `topk(10, ${sumBy("account, target", rate("postdate_target_attempt_seconds_total"))} / ${sumBy("account, target", rate("postdate_target_attempts_total"))})`,
      "{{account}} {{target}}",
    ]),
    graph("Lateness, on average", "s", [
      `topk(10, ${sumBy("account, target", rate("postdate_target_lateness_seconds_total"))} / ${sumBy("account, target", rate("postdate_target_attempts_total"))})`,
      "{{account}} {{target}}",
    ]),
  ],
};

export const rows: readonly Row[] = [
  overview,
  deliveries,
  callers,
  store,
  jobs,
  events,
  nodes,
  targets,
];
