/** Possible faults of a copy: the kind that differs, how to cause the fault, and how to repair it. */
export const damages: readonly (readonly [kind: string, damage: string, repair: string])[] = [
  [
    "messages",
    "UPDATE messages SET payload = payload || 'x' WHERE attempt_count = 0",
    "UPDATE messages SET payload = substr(payload, 1, length(payload) - 1) WHERE attempt_count = 0",
  ],
  [
    "messages",
    "UPDATE messages SET planning_time = planning_time + 1 WHERE state = 2",
    "UPDATE messages SET planning_time = planning_time - 1 WHERE state = 2",
  ],
  [
    "messages",
    "UPDATE messages SET target_key = target_key + 100 WHERE attempt_count = 2",
    "UPDATE messages SET target_key = target_key - 100 WHERE attempt_count = 2",
  ],
  [
    "attempts",
    "UPDATE attempts SET number = 7 WHERE number = 2",
    "UPDATE attempts SET number = 2 WHERE number = 7",
  ],
  [
    "accounts",
    "INSERT INTO accounts (account_id, name, creation_time) VALUES ('acc_zzz', 'Z', 1)",
    "DELETE FROM accounts WHERE account_id = 'acc_zzz'",
  ],
  [
    "accounts",
    "UPDATE accounts SET suspension_time = suspension_time + 1",
    "UPDATE accounts SET suspension_time = suspension_time - 1",
  ],
  [
    "clients",
    "UPDATE clients SET previous_until = previous_until + 1",
    "UPDATE clients SET previous_until = previous_until - 1",
  ],
  [
    "signingKeys",
    "UPDATE signing_keys SET sealed_private_key = sealed_private_key || 'x'",
    "UPDATE signing_keys SET sealed_private_key = rtrim(sealed_private_key, 'x')",
  ],
  [
    "auditEntries",
    "UPDATE audit_entries SET request_id = '' WHERE request_id IS NULL",
    "UPDATE audit_entries SET request_id = NULL WHERE request_id = ''",
  ],
  [
    "idempotencyKeys",
    "CREATE TABLE lost AS SELECT * FROM idempotency_keys; DELETE FROM idempotency_keys",
    "INSERT INTO idempotency_keys SELECT * FROM lost",
  ],
  [
    "jobs",
    "UPDATE jobs SET job = job || ' ' WHERE running",
    "UPDATE jobs SET job = rtrim(job) WHERE running",
  ],
  [
    "jobMessages",
    "UPDATE job_messages SET stage = stage + 1",
    "UPDATE job_messages SET stage = stage - 1",
  ],
  [
    "schedules",
    "UPDATE schedule_states SET schedule = schedule || ' '",
    "UPDATE schedule_states SET schedule = rtrim(schedule)",
  ],
  [
    "schedules",
    "UPDATE schedules SET payload = payload || 'x' WHERE paused",
    "UPDATE schedules SET payload = substr(payload, 1, length(payload) - 1) WHERE paused",
  ],
  [
    "scheduleRuns",
    "UPDATE schedule_runs SET judge_time = 1",
    "UPDATE schedule_runs SET judge_time = NULL",
  ],
  [
    "movedRuns",
    "UPDATE moved_runs SET due_time = due_time + 1",
    "UPDATE moved_runs SET due_time = due_time - 1",
  ],
  [
    "eventEndpoints",
    "UPDATE event_endpoints SET paused = NOT paused",
    "UPDATE event_endpoints SET paused = NOT paused",
  ],
  [
    "eventLogs",
    "UPDATE event_logs SET last_position = last_position + 1",
    "UPDATE event_logs SET last_position = last_position - 1",
  ],
  [
    "eventBundles",
    "UPDATE event_bundles SET seed = seed || '-'",
    "UPDATE event_bundles SET seed = rtrim(seed, '-')",
  ],
  [
    "targetHealth",
    "UPDATE target_health SET failing = NOT failing",
    "UPDATE target_health SET failing = NOT failing",
  ],
];
