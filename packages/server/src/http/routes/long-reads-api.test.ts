import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { defaultAccountId } from "../../domain/access.ts";
import { longReads } from "../../operations/long-reads.ts";
import { operatorKey } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
const other = { accountId: "", key: "" };
beforeAll(async () => {
  const asking = { method: "POST", url: "/v1/accounts", body: {}, key: operatorKey } as const;
  Object.assign(other, (await api.call(asking)).json());
});
afterEach(() => vi.restoreAllMocks());

const asked = 6;
const mostOfOneAccount = 2;
const message = "/v1/messages/msg_01k9xvq8c7e4nv3q0t2m5r8w1z";

const reads: Record<(typeof longReads)[number], { verb: keyof TestApi["store"]; url: string }> = {
  listTargets: { verb: "listTargets", url: "/v1/targets" },
  listScheduledMessages: {
    verb: "listScheduledMessages",
    url: "/v1/targets/t/scheduled-messages",
  },
  listDeadLetters: { verb: "listDeadLetters", url: "/v1/targets/t/dead-letters" },
  findMessages: { verb: "findMessages", url: "/v1/messages" },
  listJobs: { verb: "listJobs", url: "/v1/jobs" },
  listSchedules: { verb: "listSchedules", url: "/v1/schedules" },
  getSchedule: { verb: "getSchedule", url: "/v1/schedules/s" },
  listRuns: { verb: "listRuns", url: "/v1/schedules/s/runs" },
  getActivity: { verb: "readActivity", url: "/v1/stats/activity" },
  listAttempts: { verb: "listAttempts", url: `${message}/attempts` },
  readPayload: { verb: "getPayload", url: `${message}/payload` },
  listKeys: { verb: "listKeys", url: "/v1/keys" },
  listClients: { verb: "listClients", url: "/v1/clients" },
  listAuditEntries: { verb: "listAuditEntries", url: "/v1/audit-log" },
};

test.each(longReads)("%s: two at a time for an account, and no other waits", async (name) => {
  const { verb, url } = reads[name];
  const letGo = Promise.withResolvers<void>();
  const otherBegan = Promise.withResolvers<void>();
  const began: string[] = [];
  const read = api.store[verb] as (...args: unknown[]) => Promise<never>;
  vi.spyOn(api.store, verb as "listKeys").mockImplementation(async (...args: unknown[]) => {
    const [first] = args as [string | { readonly accountId: string }];
    const accountId = typeof first === "string" ? first : first.accountId;
    began.push(accountId);
    if (accountId === other.accountId) otherBegan.resolve();
    await letGo.promise;
    return read(...args);
  });

  const calls = Array.from({ length: asked }, () => api.call({ url }));
  const another = api.call({ url, key: other.key });
  await otherBegan.promise;
  const ofOne = Array.from({ length: mostOfOneAccount }, () => defaultAccountId);
  expect(began).toEqual([...ofOne, other.accountId]);
  letGo.resolve();
  await Promise.all([...calls, another]);
  expect(began).toHaveLength(asked + 1);
});
