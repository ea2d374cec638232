import { expect, vi } from "vitest";
import type { ApiAnswer } from "../../support/api.ts";
import { farAway, patiently } from "../../support/shared-service.ts";
import type { ScriptedService } from "../../support/shared-service.ts";

type Body = ApiAnswer["body"];

/** Calls about jobs, for the account of a service. */
export interface JobCalls {
  /** Creates a job, whatever the answer is. */
  post(order: object, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** Creates a job, which must succeed. */
  create(order: object): Promise<Body>;
  /** The whole count. */
  preview(order: object): Promise<Body>;
  get(jobId: string): Promise<Body>;
  /** Waits until the job is in this state. */
  reaches(jobId: string, state: string): Promise<Body>;
  /** Creates a job and waits until it is done. */
  done(order: object): Promise<Body>;
  /** Schedules as many messages for the target, far away, each with what `change` gives it. */
  scheduled(targetId: string, count: number, change?: (index: number) => object): Promise<Body[]>;
  /** The messages as they are now, in the order of the ids. */
  now(messages: readonly { readonly messageId: string }[]): Promise<Body[]>;
}

export function jobCalls(service: ScriptedService): JobCalls {
  const { api, ok } = bound(service);
  const get: JobCalls["get"] = (jobId) => ok("GET", `/v1/jobs/${jobId}`);
  const post: JobCalls["post"] = (order, headers = {}) =>
    api("POST", "/v1/jobs", { body: order, headers });
  const create: JobCalls["create"] = async (order) => {
    const answer = await post(order);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const reaches: JobCalls["reaches"] = (jobId, state) =>
    vi.waitFor(async () => {
      const job = await get(jobId);
      if (job.state !== state) throw new Error(`the job is ${JSON.stringify(job)}, not ${state}`);
      return job;
    }, patiently);
  return {
    post,
    create,
    get,
    reaches,
    async preview(order) {
      const ask = (from: object) =>
        ok("POST", "/v1/jobs", { body: { ...order, dryRun: true, ...from } });
      let all = await ask({});
      while (all.nextPageToken !== null) {
        const more = await ask({ pageToken: all.nextPageToken });
        const sample = [...all.sample, ...more.sample].slice(0, 10);
        all = { ...more, count: all.count + more.count, sample };
      }
      return all;
    },
    done: async (order) => reaches((await create(order)).jobId, "DONE"),
    async scheduled(targetId, count, change = () => ({})) {
      const messages = Array.from({ length: count }, (_, index) => ({
        ...{ targetId, deliveryTime: farAway, payload: "" },
        ...change(index),
      }));
      const { results } = await ok("POST", "/v1/messages/batch", { body: { messages } });
      return results.map(({ message }: Body) => message);
    },
    now: (messages) =>
      Promise.all(messages.map(({ messageId }) => ok("GET", `/v1/messages/${messageId}`))),
  };
}

/** What a service can do exists once the tests begin, so it is looked up at each call. */
function bound(service: ScriptedService): Pick<ScriptedService, "api" | "ok"> {
  return {
    api: (...call) => service.api(...call),
    ok: (...call) => service.ok(...call),
  };
}

/** The states of these messages, and how many are in each. */
export function countStates(messages: readonly { readonly state: string }[]) {
  const counts: Record<string, number> = {};
  for (const { state } of messages) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
