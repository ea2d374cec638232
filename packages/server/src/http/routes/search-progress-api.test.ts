import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { timeOfSequence, parseMessageId } from "../../platform/message-ids.ts";
import { operatorKey } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
let key: string;
beforeAll(async () => {
  const asking = { method: "POST", url: "/v1/accounts", body: {}, key: operatorKey } as const;
  key = (await api.call(asking)).json<{ key: string }>().key;
});
afterEach(() => vi.restoreAllMocks());

async function scheduleOne(): Promise<string> {
  const target = { targetId: "t", kind: "webhook", url: "http://127.0.0.1:9/" };
  await api.call({ method: "POST", url: "/v1/targets", body: target, key });
  const body = { targetId: "t", payload: "", delayMs: 1_000_000 };
  const made = await api.call({ method: "POST", url: "/v1/messages", body, key });
  return made.json<{ messageId: string }>().messageId;
}

const minute = 60_000;

test.each(["newest", "oldest"])(
  "a search with the %s first says to the minute how far it has come among others' messages",
  async (order) => {
    const lookedUntil = await scheduleOne();
    vi.spyOn(api.store, "findMessages").mockResolvedValue({ messages: [], lookedUntil });
    const page = await api.call({ url: `/v1/messages?order=${order}` });
    const { searchedUntil } = page.json<{ searchedUntil: string }>();
    const searched = Date.parse(searchedUntil);
    const looked = timeOfSequence(parseMessageId(lookedUntil)!.sequence);
    expect(searched % minute).toBe(0);
    // What is not looked at yet lies on the other side of it.
    const aheadMs = order === "newest" ? searched - looked : looked - searched;
    expect(aheadMs).toBeGreaterThanOrEqual(0);
    expect(aheadMs).toBeLessThan(minute);
  },
);
