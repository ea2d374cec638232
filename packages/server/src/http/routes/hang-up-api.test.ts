import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Operations } from "../../operations/operations.ts";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";

const begun: PromiseWithResolvers<AbortSignal | undefined>[] = [];

/** Waits until its caller is gone, and answers nothing. */
function waiting(
  _caller: unknown,
  _drafts: unknown,
  _key: unknown,
  callerGone?: () => AbortSignal,
) {
  const gone = callerGone?.();
  begun.shift()!.resolve(gone);
  return new Promise<never>((_, reject) => {
    if (gone === undefined) reject(new Error("nobody could tell that the caller is gone"));
    gone?.addEventListener("abort", () => reject(new Error("the caller is gone")));
  });
}

let api: TestApi;
let address: string;
beforeAll(async () => {
  const operations = { scheduleMessage: waiting, scheduleBatch: waiting };
  api = await openTestApi({ operations: operations as unknown as Operations });
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  address = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
});
afterAll(() => api.close());

const message = { targetId: "t", payload: "", delayMs: 1, key: "k", onConflict: "replace" };

test.each([
  { path: "/v1/messages", body: message },
  { path: "/v1/messages/batch", body: { messages: [{ ...message, key: undefined }, message] } },
])("$path with a key learns that its caller has hung up", async ({ path, body }) => {
  const begins = Promise.withResolvers<AbortSignal | undefined>();
  begun.push(begins);
  const caller = new AbortController();
  const call = fetch(`${address}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.rootKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: caller.signal,
  });
  const gone = await begins.promise;
  expect(gone?.aborted).toBe(false);
  const told = new Promise((resolve) => gone!.addEventListener("abort", resolve));
  caller.abort();
  await expect(call).rejects.toThrow();
  await told;
});
