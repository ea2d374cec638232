import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

// The test makes large bodies in this same process. With a clock that stands still, the server turns no
// request away for that.
const api = sharedTestApi({ clock: { now: () => systemClock.now(), monotonic: () => 0 } });

const megabyte = 1_048_576;
const fill = (bytes: number, unit: string) => unit.repeat(Math.floor(bytes / unit.length));
const names = (count: number) => Array.from({ length: count }, (_, index) => `"n${index}":1`);

describe("a body that exceeds a limit is refused before it is parsed", () => {
  test.each([
    ["/v1/messages/batch", "objects", `{"messages":[${fill(15 * megabyte, "{},")}{}]}`],
    ["/v1/messages/batch", "lists", `{"messages":[${fill(15 * megabyte, "[],")}1]}`],
    ["/v1/messages/batch", "numbers", `{"messages":[${fill(15 * megabyte, "1,")}1]}`],
    ["/v1/messages/batch", "distinct names", `{${names(600_000).join(",")}}`],
    ["/v1/messages/batch", "names of one object", `{${names(1_001).join(",")}}`],
    ["/v1/messages/batch", "names of one message", `{"messages":[{${names(1_001).join(",")}}]}`],
    [
      "/v1/messages/batch",
      "depth",
      `{"messages":${fill(7 * megabyte, "[")}${fill(7 * megabyte, "]")}}`,
    ],
    ["/v1/messages/batch", "a long name", `{"${fill(15 * megabyte, "n")}":1}`],
    ["/v1/messages", "objects", `{"payload":[${fill(megabyte / 2, "{},")}{}]}`],
    ["/v1/messages", "distinct names", `{${names(50_000).join(",")}}`],
    ["/v1/keys", "entries", `{"scopes":[${fill(8_000, "1,")}1]}`],
  ])("%s: %s", async (url, _what, body) => {
    const parse = vi.spyOn(JSON, "parse");
    const answer = await api.call({
      method: "POST",
      url,
      body,
      headers: { "content-type": "application/json" },
    });
    const parsed = parse.mock.calls.filter(([text]) => text.length >= body.length);
    parse.mockRestore();
    expect(answer.statusCode, answer.body.slice(0, 200)).toBe(400);
    expect(answer.json().errors).toEqual([
      { code: "E-DI-1001", message: expect.stringMatching(/at most [\d,]+ /) },
    ]);
    expect(answer.body.length).toBeLessThan(500);
    expect(parsed).toEqual([]);
  });
});

test("the largest batch fits, with room to spare", async () => {
  await api.call({
    method: "POST",
    url: "/v1/targets",
    body: { targetId: "t", url: "http://127.0.0.1:1/" },
  });
  const message = { targetId: "t", deliveryTime: "2999-01-01T00:00:00Z", payload: "{}[],:" };
  const answer = await api.call({
    method: "POST",
    url: "/v1/messages/batch",
    body: { messages: Array.from({ length: 1_000 }, () => message) },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.json().results).toHaveLength(1_000);
});
