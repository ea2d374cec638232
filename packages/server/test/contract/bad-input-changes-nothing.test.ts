import { expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { farAway, status } from "../support/shared-service.ts";

const service = commonService();

const values: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, "", " ", "\0", "x", "😀", "\ud83d", "2996-02-30T00:00:00Z"],
  ...[[], {}, { a: 1 }, "a".repeat(61_441), "../..", "'; DROP TABLE messages; --", "%00"],
];

test("a barrage of bad requests: each gets a clear error, and nothing changes", async () => {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  target.answerWith(status(500));
  const dead = await target.schedule();
  await service.reaches(dead.messageId, "DEAD_LETTER");
  const { messageId } = await target.schedule({ deliveryTime: farAway });
  const { messageId: cancelled } = await target.schedule({ deliveryTime: farAway });
  await service.ok("POST", `/v1/messages/${cancelled}/cancel`);

  const targetPath = `/v1/targets/${target.targetId}`;
  const recurring = { targetId: target.targetId, payload: "", cron: "@daily" };
  const made = { body: { ...recurring, startTime: farAway } };
  const { scheduleId } = (await service.api("POST", "/v1/schedules", made)).body;
  const schedulePath = `/v1/schedules/${scheduleId}`;
  const everything = () =>
    Promise.all(
      [
        `/v1/messages/${messageId}`,
        `/v1/messages/${messageId}/payload`,
        `/v1/messages/${messageId}/attempts`,
        `/v1/messages/${cancelled}`,
        `/v1/messages/${dead.messageId}/attempts`,
        `${targetPath}/scheduled-messages`,
        `${targetPath}/dead-letters`,
        "/v1/targets",
        "/v1/keys",
        "/v1/jobs",
        "/v1/schedules",
        `/v1/schedules/${scheduleId}`,
        `/v1/schedules/${scheduleId}/runs`,
      ].map((path) => service.ok("GET", path)),
    );
  const before = await everything();

  const good = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
  const order = { action: "cancel", filter: { targetId: target.targetId } };
  const bad: [method: string, path: string, body?: unknown][] = [];
  for (const value of values) {
    for (const field of ["targetId", "deliveryTime"])
      bad.push(["POST", "/v1/messages", { ...good, [field]: value }]);
    if (typeof value !== "string") bad.push(["POST", "/v1/messages", { ...good, payload: value }]);
    bad.push(
      ["POST", "/v1/messages", { ...good, unknown: value }],
      ["POST", "/v1/messages/batch", { messages: value }],
      ["POST", `/v1/messages/${messageId}/reschedule`, { deliveryTime: value }],
      ["POST", "/v1/messages", { ...good, delayMs: value }],
      ["POST", "/v1/messages", { ...good, idempotencyKey: value }],
      ["POST", `/v1/messages/${messageId}/reschedule`, { deliveryTime: farAway, delayMs: value }],
      ["POST", `/v1/messages/${messageId}/cancel`, { unknown: value }],
      ["POST", "/v1/jobs", { ...order, action: value }],
      ["POST", "/v1/jobs", { ...order, filter: value }],
      ["POST", "/v1/jobs", { ...order, filter: { ...order.filter, unknown: value } }],
      ["POST", "/v1/jobs", { ...order, deliveryTime: value }],
      ["POST", "/v1/jobs", { ...order, byMs: value }],
      ["POST", `${targetPath}/dead-letters/redrive`, { filter: { minTime: value } }],
      ["POST", `${targetPath}/dead-letters/redrive`, { ratePerSecond: value }],
      ["POST", "/v1/schedules", { ...recurring, targetId: value }],
      ["POST", "/v1/schedules", { ...recurring, unknown: value }],
      ["PUT", schedulePath, { ...recurring, message: { unknown: value } }],
      ["PATCH", schedulePath, { targetId: value }],
      ["PATCH", schedulePath, { message: { key: value } }],
      ["PATCH", schedulePath, { catchUp: { mode: value } }],
      ["POST", `${schedulePath}/pause`, { unknown: value }],
      ["POST", `${schedulePath}/skip`, { time: value }],
      ["POST", `${schedulePath}/unskip`, { time: value }],
      ["POST", `${schedulePath}/trigger`, { unknown: value }],
      ["POST", `${schedulePath}/backfill`, { from: value }],
      ["POST", `${schedulePath}/backfill`, { from: "2026-01-01T00:00:00Z", to: value }],
      ["DELETE", `${targetPath}?messages=${encodeURIComponent(String(value).toWellFormed())}`],
      ["POST", "/v1/targets", { url: value }],
      ["PATCH", targetPath, { url: value }],
      ["PATCH", targetPath, { unknown: value }],
      ["POST", `${targetPath}/rotate-secret`, { secret: value }],
      ["POST", `${targetPath}/pause`, { unknown: value }],
      ["POST", "/v1/keys", { name: "x", scopes: value }],
      ["DELETE", `${targetPath}?unknown=${encodeURIComponent(String(value).toWellFormed())}`],
      [
        "POST",
        `/v1/messages/${encodeURIComponent(String(value).toWellFormed().slice(0, 99))}x/cancel`,
      ],
    );
    if (value !== 0) {
      const { deliveryTime: _, ...timeless } = good;
      bad.push(
        ["POST", "/v1/messages", { ...timeless, delayMs: value }],
        ["POST", `/v1/messages/${messageId}/reschedule`, { delayMs: value }],
      );
    }
    for (const path of [
      "/v1/messages",
      "/v1/targets",
      "/v1/keys",
      "/v1/jobs",
      "/v1/schedules",
      `/v1/messages/${messageId}/reschedule`,
    ]) {
      if (typeof value !== "object" || Array.isArray(value))
        bad.push(["POST", path, JSON.stringify(value)]);
    }
  }
  bad.push(
    ["DELETE", targetPath],
    ["POST", `/v1/messages/${cancelled}/cancel`],
    ["POST", `/v1/messages/${dead.messageId}/cancel`],
    ["DELETE", `/v1/messages/${messageId}`],
    ["PUT", targetPath, { url: "https://example.com" }],
    ["POST", "/v1/targets", { targetId: target.targetId, url: "https://example.com" }],
  );

  for (const [method, path, body] of bad) {
    const answer = await service.api(method, path, { body });
    const call = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${answer.status} ${answer.text}`;
    expect(answer.status, call).toBeGreaterThanOrEqual(400);
    expect(answer.status, call).toBeLessThan(500);
    expect(answer.body?.errors?.length, call).toBeGreaterThan(0);
    for (const { code, message } of answer.body.errors) {
      expect(code, call).toMatch(/^E-DI-\d{4}$/);
      expect(message, call).toMatch(/\S+ \S+/);
      expect(message.length, call).toBeLessThan(1_000);
    }
  }
  expect(await everything()).toStrictEqual(before);
  expect(target.receipts()).toHaveLength(1);
});
