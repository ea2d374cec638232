const ofMessages = ["labels", "retryPolicy", "headers", "contentType", "timeoutMs", "notAfterMs"];

/** Error texts for fields of a schedule that belong elsewhere. */
export const misplacedFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ofMessages.map((name) => [
      name,
      `Move ${name} into message: it is an option of each message that the schedule makes.`,
    ]),
  ),
  "message.key":
    "Leave out message.key: each run has its own message. With overlap you choose what happens while the one before is scheduled.",
  "message.onConflict":
    "Leave out message.onConflict: messages of schedules have no key. Use overlap.",
  "message.debounce": "Leave out message.debounce: messages of schedules have no key. Use overlap.",
  "message.notAfter":
    "Leave out message.notAfter, which is one time for all runs. Give message.notAfterMs, counted from each delivery time.",
  "message.flexWindowMs": "Move flexWindowMs out of message: it is a field of the schedule itself.",
  key: "Leave out key: each run has its own message. With overlap you choose what happens while the one before is scheduled.",
  notAfter:
    "Leave out notAfter. Give message.notAfterMs for each message, or endTime for the schedule.",
  deliveryTime: "Leave out deliveryTime. Give one of cron, everyMs and at.",
  delayMs: "Leave out delayMs. Give one of cron, everyMs and at.",
  paused:
    "Leave out paused. Use POST /v1/schedules/{scheduleId}/pause and /v1/schedules/{scheduleId}/resume.",
};
