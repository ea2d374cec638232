import { beforeAll, describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();

const readable: readonly [given: string, means: string][] = [
  ["2996-11-14T09:30:00Z", "2996-11-14T09:30:00.000Z"],
  ["2996-11-14T09:30:00.5Z", "2996-11-14T09:30:00.500Z"],
  ["2996-11-14T09:30:00.1239Z", "2996-11-14T09:30:00.123Z"],
  ["2996-11-14T09:30:00.999999999999999999999Z", "2996-11-14T09:30:00.999Z"],
  ["2996-11-14T09:30:00+01:00", "2996-11-14T08:30:00.000Z"],
  ["2996-11-14T09:30:00-05:30", "2996-11-14T15:00:00.000Z"],
  ["2996-11-14T09:30:00+00:00", "2996-11-14T09:30:00.000Z"],
  ["2996-11-14T09:30:00-00:00", "2996-11-14T09:30:00.000Z"],
  ["2996-02-29T23:59:59.999Z", "2996-02-29T23:59:59.999Z"],
  ["2400-02-29T00:00:00Z", "2400-02-29T00:00:00.000Z"],
  ["2999-12-31T23:30:00-01:00", "3000-01-01T00:30:00.000Z"],
  ["9000-01-01T00:00:00Z", "9000-01-01T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
];

const unreadable: readonly string[] = [
  "",
  " ",
  "now",
  "tomorrow",
  "2996",
  "2996-11-14",
  "2996-11-14T09:30Z",
  "2996-11-14T09Z",
  "2996-11-14T09:30:00",
  "2996-11-14 09:30:00Z",
  "2996-11-14T09:30:00 Z",
  " 2996-11-14T09:30:00Z",
  "2996-11-14T09:30:00Z ",
  "2996-11-14T09:30:00Z\n",
  "2996-11-14T09:30:00.Z",
  "2996-11-14T09:30:00,5Z",
  "2996-11-14T09:30:00+0100",
  "2996-11-14T09:30:00+01",
  "2996-11-14T09:30:00+1:00",
  "2996-11-14T09:30:00+24:00",
  "2996-11-14T09:30:00+01:60",
  "2996-11-14T09:30:00ZZ",
  "2996-11-14T09:30:00Z+01:00",
  "2996-11-14T09:30:00[Europe/Berlin]",
  "2996-11-14T09:30:00Z[UTC]",
  "2996-11-14T24:00:00Z",
  "2996-11-14T09:60:00Z",
  "2996-11-14T09:30:60Z",
  "2016-12-31T23:59:60Z",
  "2996-00-14T09:30:00Z",
  "2996-13-14T09:30:00Z",
  "2996-11-00T09:30:00Z",
  "2996-11-31T09:30:00Z",
  "2996-02-30T09:30:00Z",
  "2995-02-29T09:30:00Z",
  "2900-02-29T09:30:00Z",
  "0000-01-01T00:00:00Z",
  "-0001-01-01T00:00:00Z",
  "+002996-11-14T09:30:00Z",
  "10000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-00:01",
  "0001-01-01T00:00:00+00:01",
  "2996-W46-5T09:30:00Z",
  "2996-318T09:30:00Z",
  "29961114T093000Z",
  "1763112600",
  "1763112600000",
  "Fri, 14 Nov 2996 09:30:00 GMT",
  "٢٩٩٦-11-14T09:30:00Z",
  "2996‐11‐14T09:30:00Z",
  "2996-11-14T09:30:00\u0000Z",
  "P1D",
];

describe("a delivery time", () => {
  let target: ScriptedTarget;
  let untouched: { readonly messageId: string };
  let moving: { readonly messageId: string };
  beforeAll(async () => {
    target = await service.target();
    untouched = await target.schedule({ deliveryTime: farAway });
    moving = await target.schedule({ deliveryTime: farAway });
  });

  test.each(readable)("%s is understood as %s", async (deliveryTime, means) => {
    const message = await target.schedule({ deliveryTime });
    expect(message).toMatchObject({ originalDeliveryTime: means, nextDeliveryTime: means });
    const path = `/v1/messages/${moving.messageId}/reschedule`;
    const moved = await service.ok("POST", path, { body: { deliveryTime } });
    expect(moved).toMatchObject({ originalDeliveryTime: farAway, nextDeliveryTime: means });
  });

  test.each(unreadable)("%j is refused, with a reason", async (deliveryTime) => {
    const problem = { code: "E-DI-1001", field: "deliveryTime" };
    const scheduled = await service.api("POST", "/v1/messages", {
      body: { targetId: target.targetId, deliveryTime, payload: "" },
    });
    expectRefusal(scheduled, 400, problem);
    const path = `/v1/messages/${untouched.messageId}`;
    const moved = await service.api("POST", `${path}/reschedule`, { body: { deliveryTime } });
    expectRefusal(moved, 400, problem);
    expect(await service.ok("GET", path)).toStrictEqual(untouched);
  });

  test.each(unreadable)("%j is refused as a bound of a list", async (bound) => {
    for (const name of ["minTime", "maxTime"]) {
      for (const list of ["scheduled-messages", "dead-letters"]) {
        const path = `/v1/targets/any/${list}?${name}=${encodeURIComponent(bound)}`;
        expectRefusal(await service.api("GET", path), 400, { code: "E-DI-1001", field: name });
      }
    }
  });

  test("says what was wrong", async () => {
    const reasonFor = async (deliveryTime: string): Promise<string> => {
      const { body } = await service.api("POST", "/v1/messages", {
        body: { targetId: "any", deliveryTime, payload: "" },
      });
      return body.errors.find((problem: { field: string }) => problem.field === "deliveryTime")
        .message;
    };
    expect(await reasonFor("2996-02-30T09:30:00Z")).toMatch(/day/);
    expect(await reasonFor("2996-11-14T24:00:00Z")).toMatch(/hour/);
    expect(await reasonFor("2996-11-14T09:30:60Z")).toMatch(/second/);
    expect(await reasonFor("2996-11-14T09:30:00")).toMatch(/offset/);
  });

  test.each(["0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "2020-01-01T00:00:00+14:00"])(
    "%s is past and means now",
    async (deliveryTime) => {
      const target = await service.target();
      const asked = Date.now();
      const message = await target.schedule({ deliveryTime });
      expect(message.state).toBe("SCHEDULED");
      const [receipt] = await target.received(1);
      expect(receipt!.messageId).toBe(message.messageId);
      expect(receipt!.at).toBeGreaterThanOrEqual(asked);
      expect(receipt!.at - asked).toBeLessThan(60_000);
    },
  );

  test("beyond 2^31 ms it does not fire early", async () => {
    const target = await service.target();
    const days = 86_400_000;
    const times = [
      inMs(2 ** 31 - 5_000),
      inMs(2 ** 31 + 500),
      inMs(60 * days),
      inMs(2 ** 32 + 500),
      farAway,
    ];
    const far = await Promise.all(times.map((deliveryTime) => target.schedule({ deliveryTime })));
    const { messageId } = await target.schedule({ deliveryTime: inMs(600) });
    const receipts = await target.received(1);
    expect(receipts.map((receipt) => receipt.messageId)).toEqual([messageId]);
    for (const message of far) {
      expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
    }
  });

  test("is never early, even for a rescheduled message", async () => {
    const target = await service.target();
    const dueAt = Date.now() + 400;
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    const deliveryTime = new Date(dueAt).toISOString();
    await service.ok("POST", `/v1/messages/${messageId}/reschedule`, { body: { deliveryTime } });
    const [receipt] = await target.received(1);
    expect(receipt!.at).toBeGreaterThanOrEqual(dueAt);
  });
});
