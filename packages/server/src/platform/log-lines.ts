/** A line of the log: at which levels it is written, and what it tells an operator. */
interface LineMeaning {
  readonly levels: string;
  readonly means: string;
}

/**
 * Every line that the service writes to its log. The logger accepts no other, and the table in
 * `docs/operations/monitoring.md` is made from this.
 */
export const logLines = {
  starting: {
    levels: "info; debug on a terminal",
    means: "the process starts; the line has its settings, without secrets",
  },
  ready: { levels: "info; debug on a terminal", means: "the server is ready, at this address" },
  stopped: { levels: "info", means: "the server has stopped" },
  attempt: { levels: "info, warn", means: "see above" },
  request: {
    levels: "debug",
    means:
      "a request was answered: `method`, `route`, `status`, `durationMs`, `accountId`, `requestId`; see below",
  },
  audit: {
    levels: "info; for what a start does by itself debug on a terminal",
    means:
      "an entry was written to the audit log: `actor`, `action`, `accountId`, `subjectId`, `requestId`, `detail`",
  },
  "encryption keys retired": {
    levels: "info",
    means:
      "an exchange of the encryption key is done: no value in the store needs these keys (`keyIds`) any more",
  },
  "job taken": {
    levels: "info",
    means:
      "this node works on a job from now on: one that has just begun or been resumed, or one whose node has gone",
  },
  "job paused": {
    levels: "warn",
    means:
      "a job has paused itself (`stopReason`): so many redriven messages failed again in a row; resume or stop it",
  },
  "schedule paused after dead letters": {
    levels: "warn",
    means:
      "so many runs of a schedule in a row became dead letters (`pauseAfterDeadLetters`); resume it once its target works",
  },
  "overloaded: requests are turned away": {
    levels: "warn",
    means:
      "at most every 10 s; `reason` as in `postdate_requests_shed_total`, which counts every one",
  },
  "store unavailable": {
    levels: "warn",
    means: "a request was answered with 503; `requestId` is its `x-request-id`",
  },
  "issuer unreachable": {
    levels: "warn",
    means:
      "a request was answered with 503, because the keys of a trusted issuer could not be fetched",
  },
  "spans lost": {
    levels: "warn",
    means:
      "`spans` spans of traces were not sent to the collector, and are gone; nothing else suffers",
  },
  "trouble while …": {
    levels: "error",
    means:
      "renewing this node's lease, holding this node's lease, looking after the other nodes, looking ahead, claiming due messages, reading a target, delivering, recording an attempt at …, releasing …, ending messages after their notAfter, removing expired messages, looking for jobs, working on a job, advancing the job …, making the runs of schedules, judging the runs of schedules, looking for events, looking at event endpoints, looking for webhooks of events, recording what a webhook of events answered, moving events into the log, removing old events, adding to the statistics, exchanging the encryption key, sealing a value anew (…); the node tries again",
  },
  "request failed": {
    levels: "error",
    means: "a request was answered with 500, with its `requestId`",
  },
  "the store has failed; restart to recover": {
    levels: "fatal",
    means: "embedded store: the process ends",
  },
} as const satisfies Readonly<Record<string, LineMeaning>>;

export type LogLine = Exclude<keyof typeof logLines, "trouble while …"> | `trouble while ${string}`;
