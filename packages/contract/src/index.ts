export * from "./accounts.ts";
export * from "./attempts.ts";
export * from "./audit.ts";
export * from "./backfills.ts";
export * from "./clients.ts";
export * from "./encryption.ts";
export * from "./error-codes.ts";
export * from "./errors.ts";
export {
  chosenId,
  longestDelayMs,
  named,
  payloadLimit,
  printable,
  visibleAscii,
  withoutControls,
} from "./fields.ts";
export * from "./event-endpoints.ts";
export * from "./events.ts";
export * from "./given-schedules.ts";
export * from "./jobs.ts";
export * from "./keys.ts";
export * from "./lists.ts";
export { DeadLetterReason, deadLetterReasons } from "./message-options.ts";
export * from "./messages.ts";
export * from "./nodes.ts";
export * from "./oauth.ts";
export * from "./retry-policies.ts";
export { Occurrence, OccurrenceList } from "./recurrences.ts";
export { RunListQuery, ScheduleRun, ScheduleRunPage } from "./schedule-runs.ts";
export * from "./schedules.ts";
export * from "./schemas.ts";
export * from "./service.ts";
export * from "./sessions.ts";
export * from "./stats.ts";
export { targetKinds } from "./target-kinds/kinds.ts";
export type { TargetKindSchema } from "./target-kinds/target-kind-schema.ts";
export { targetSchemas } from "./target-schemas.ts";
export * from "./targets.ts";
export { Type } from "./type.ts";
export * from "./usage.ts";
