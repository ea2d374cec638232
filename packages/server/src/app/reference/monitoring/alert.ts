export interface Alert {
  /** `PostdateMessagesOverdue`; its runbook is `docs/operations/runbooks/messages-overdue.md`. */
  readonly name: string;
  readonly expr: string;
  /** How long the expression must hold, as Prometheus writes it. */
  readonly holdsFor: string;
  /** `critical`: somebody must act now. */
  readonly severity: "critical" | "warning";
  /** May name labels of the alert as `{{ $labels.instance }}`. */
  readonly summary: string;
  readonly example: AlertExample;
}

/** Series for `promtool test rules`, a sample every 15 s, as its documentation writes them. */
export interface AlertExample {
  readonly series: Readonly<Record<string, string>>;
  /** When the alert fires, from the beginning of the series. Before half of that it does not. */
  readonly firesAfter: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Other series, of a service that is well: the alert does not fire, however long they go on. */
  readonly well: Readonly<Record<string, string>>;
}

/**
 * The counter has counted within so long. After a long outage a node counts much in the second in which it starts, such as what
 * schedules have missed, and Prometheus first asks it later: what has no sample from before counts with its whole value.
 */
export function hasCounted(counter: string, within: string): string {
  const increase = `sum by (job) (increase(${counter}[${within}])) > 0`;
  return `${increase} or sum by (job) (${counter} unless ${counter} offset ${within}) > 0`;
}

/** Of this repository, from its root. */
export function runbookOf({ name }: Pick<Alert, "name">): string {
  const words = name.replace(/^Postdate/, "").match(/[A-Z][a-z]+/g) ?? [];
  return `docs/operations/runbooks/${words.join("-").toLowerCase()}.md`;
}
