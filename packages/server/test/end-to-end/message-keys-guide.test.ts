import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conflictModes } from "../../src/domain/message-key.ts";
import { services } from "../support/service.ts";

const startService = services();
const page = join(import.meta.dirname, "../../../../docs/guides/message-keys.md");
const curl =
  /^curl -s (?:-X (\w+) )?"?\$api(\/[^"\s]*)"? -H "\$auth"(?: -H "\$json" -d '([^']*)')?/gm;

test("each request of the guide does on a real server what the guide says", async () => {
  const { api } = await startService();
  const requests = [...readFileSync(page, "utf8").matchAll(curl)];
  const send = async () => {
    const [, method, path = "", data] = requests.shift()!;
    const body = data === undefined ? {} : { body: JSON.parse(data) as object };
    const answer = await api(method ?? (data === undefined ? "GET" : "POST"), `/v1${path}`, body);
    return { ...answer, outcome: answer.headers.get("postdate-key-outcome") };
  };
  expect(requests).toHaveLength(12);

  expect((await send()).status).toBe(200);
  const first = await send();
  expect(first).toMatchObject({ status: 200, outcome: "created", body: { key: "invoice-17" } });
  const { messageId } = first.body;
  expect(await send()).toMatchObject({ outcome: "kept", body: first.body });
  const replaced = await send();
  expect(replaced).toMatchObject({ outcome: "replaced", body: { messageId } });
  const { nextDeliveryTime } = replaced.body;
  expect(nextDeliveryTime).not.toBe(first.body.nextDeliveryTime);
  const sameTime = { messageId, nextDeliveryTime, labels: { order: "17", region: "eu" } };
  expect(await send()).toMatchObject({ outcome: "replaced", body: sameTime });

  const digest = await send();
  expect(digest).toMatchObject({ outcome: "created", body: { key: "digest-of-4711" } });
  expect((await send()).body).toEqual(digest.body);
  const moved = await send();
  expect(moved.body).toMatchObject({ messageId: digest.body.messageId, state: "SCHEDULED" });
  expect(moved.body.nextDeliveryTime).not.toBe(digest.body.nextDeliveryTime);
  const cancelled = await send();
  expect(cancelled.body).toMatchObject({ messageId: digest.body.messageId, state: "CANCELLED" });
  expect((await send()).body.items).toEqual([cancelled.body]);
  expect((await send()).body.items).toMatchObject([sameTime]);
  expect((await send()).body.items).toMatchObject([sameTime]);
});

test("the guide has every way to meet a key that is taken", () => {
  const guide = readFileSync(page, "utf8");
  const rows = [...guide.matchAll(/^\| `(\w+)`[^|]*\|[^|]*\|[^|]*\|$/gm)].map(([, mode]) => mode);
  expect(rows.filter((name) => name !== "onConflict")).toEqual([...conflictModes]);
});
