import { expect, vi } from "vitest";
import type { ApiAnswer } from "../../support/api.ts";
import { patiently } from "../../support/shared-service.ts";
import type { ScriptedService } from "../../support/shared-service.ts";

type Body = ApiAnswer["body"];

/** Calls about recurring schedules, for the account of a service. */
export interface ScheduleCalls {
  /** Creates a schedule, whatever the answer is. */
  post(schedule: object): Promise<ApiAnswer>;
  /** Creates a schedule, which must succeed. */
  create(schedule: object): Promise<Body>;
  put(scheduleId: string, schedule: object): Promise<ApiAnswer>;
  patch(scheduleId: string, changes: object): Promise<ApiAnswer>;
  get(scheduleId: string): Promise<Body>;
  /** An action such as `pause`, whatever the answer is. */
  act(scheduleId: string, action: string, body?: object): Promise<ApiAnswer>;
  /** The newest first. */
  runs(scheduleId: string): Promise<Body[]>;
  /** Waits until the schedule has a run like this. */
  run(scheduleId: string, like: Readonly<Record<string, unknown>>): Promise<Body>;
  /** The messages that the schedule has made, the oldest first. */
  messages(scheduleId: string): Promise<Body[]>;
}

export function scheduleCalls(service: ScriptedService): ScheduleCalls {
  const path = (scheduleId: string): string => `/v1/schedules/${scheduleId}`;
  const get: ScheduleCalls["get"] = (scheduleId) => service.ok("GET", path(scheduleId));
  const post: ScheduleCalls["post"] = (body) => service.api("POST", "/v1/schedules", { body });
  const runs: ScheduleCalls["runs"] = async (scheduleId) =>
    (await service.ok("GET", `${path(scheduleId)}/runs?limit=100`)).items;
  return {
    post,
    get,
    runs,
    async create(schedule) {
      const answer = await post(schedule);
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    put: (scheduleId, body) => service.api("PUT", path(scheduleId), { body }),
    patch: (scheduleId, body) => service.api("PATCH", path(scheduleId), { body }),
    act: (scheduleId, action, body) =>
      service.api("POST", `${path(scheduleId)}/${action}`, body === undefined ? {} : { body }),
    run: (scheduleId, like) =>
      vi.waitFor(async () => {
        const found = await runs(scheduleId);
        const run = found.find((each) =>
          Object.entries(like).every(([name, value]) => each[name] === value),
        );
        if (run === undefined) throw new Error(`no such run in ${JSON.stringify(found)}`);
        return run;
      }, patiently),
    messages: async (scheduleId) =>
      (await service.ok("GET", `/v1/messages?scheduleId=${scheduleId}&order=oldest&limit=100`))
        .items,
  };
}

/**
 * Runs a scenario that has to end before a schedule is due, with a time a few seconds from now, on a full second. If the
 * machine was too slow, it begins again.
 */
export async function ahead<Seen>(scenario: (startTime: string) => Promise<Seen>): Promise<Seen> {
  for (;;) {
    const dueAt = Math.floor(Date.now() / 1_000) * 1_000 + 4_000;
    const [seen] = await Promise.allSettled([scenario(new Date(dueAt).toISOString())]);
    if (Date.now() >= dueAt) continue;
    if (seen.status === "rejected") throw seen.reason;
    return seen.value;
  }
}
