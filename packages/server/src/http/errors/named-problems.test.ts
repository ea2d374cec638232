import { expect, test, vi } from "vitest";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

const unknownFields = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`.padEnd(length, "n"), 1]));
const more = (count: string) => ({
  code: "E-DI-1001",
  message: `${count} more problems are not listed. Correct the listed ones, and send it again.`,
});

async function post(url: string, body: object) {
  const answer = await api.call({ method: "POST", url, body });
  return { ...answer.json<{ errors: Refusal[]; results: { errors: Refusal[] }[] }>(), answer };
}

test("an answer lists at most fifty problems, and says how many more there are", async () => {
  const { errors, answer } = await post("/v1/messages", unknownFields(900, 900));
  expect(answer.statusCode).toBe(400);
  expect(errors).toHaveLength(50);
  expect(errors.at(-1)).toEqual(more("854"));
  expect(Math.max(...errors.map(({ field = "" }) => field.length))).toBe(101);
  expect(answer.body.length).toBeLessThan(25_000);
});

test("the answer to a batch that is refused as a whole is as short", async () => {
  const { errors, answer } = await post("/v1/messages/batch", {
    messages: [],
    ...unknownFields(990, 900),
  });
  expect(answer.statusCode).toBe(400);
  expect(errors.at(-1)).toEqual(more("942"));
  expect(answer.body.length).toBeLessThan(25_000);
});

test("so is the answer to one with thousands of entries that are not messages", async () => {
  const { errors, answer } = await post("/v1/messages/batch", { messages: Array(9_000).fill(1) });
  expect(answer.statusCode).toBe(400);
  expect(errors).toHaveLength(50);
  expect(errors.at(-1)).toEqual(more("8,952"));
});

test("the errors of a batch message with hundreds of unknown fields are as short", async () => {
  const { results, answer } = await post("/v1/messages/batch", {
    messages: [unknownFields(990, 900)],
  });
  expect(results[0]!.errors.slice(0, 3).map(({ field }) => field)).toEqual([
    "deliveryTime",
    "targetId",
    "payload",
  ]);
  expect(results[0]!.errors.at(-1)).toEqual(more("984"));
  expect(answer.body.length).toBeLessThan(5_000);
});

test("each of many bad messages gets a reason, and the answer lists a few hundred problems", async () => {
  const { results, answer } = await post("/v1/messages/batch", {
    messages: Array.from({ length: 900 }, () => unknownFields(9, 2)),
  });
  expect(results).toHaveLength(900);
  expect(results[0]!.errors).toHaveLength(10);
  expect(results.every(({ errors }) => errors[0]?.field === "deliveryTime")).toBe(true);
  expect(results.flatMap(({ errors }) => errors).length).toBeLessThan(2_500);
  expect(answer.body.length).toBeLessThan(500_000);
});

test("the path to a lone surrogate below long names is shortened", async () => {
  const long = "n".repeat(1_000);
  const { errors, answer } = await post("/v1/targets", { [long]: { [long]: ["\ud800"] } });
  expect(answer.statusCode).toBe(400);
  expect(answer.body).toContain("surrogate");
  expect(answer.body.length).toBeLessThan(2_000);
  expect(errors.every(({ code }) => code === "E-DI-1001")).toBe(true);
});

test("the server writes no text for a problem that no answer would list", async () => {
  const quote = vi.spyOn(JSON, "stringify");
  const messages = Array.from({ length: 900 }, () => unknownFields(9, 2));
  const text = JSON.stringify({ messages });
  quote.mockClear();
  await api.call({
    method: "POST",
    url: "/v1/messages/batch",
    body: text,
    headers: { "content-type": "application/json" },
  });
  const names = quote.mock.calls.filter(([value]) => /^\dn$/.test(String(value)));
  quote.mockRestore();
  expect(names.length).toBeGreaterThan(100);
  expect(names.length).toBeLessThan(1_000);
});
