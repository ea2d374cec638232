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
  message: `${count} more things are wrong with it. Correct what is named here, and send it again.`,
});

async function post(url: string, body: object) {
  const answer = await api.call({ method: "POST", url, body });
  return { ...answer.json<{ errors: Refusal[]; results: { errors: Refusal[] }[] }>(), answer };
}

test("an answer names about fifty things that are wrong, and says how many more there are", async () => {
  const { errors, answer } = await post("/v1/messages", unknownFields(900, 900));
  expect(answer.statusCode).toBe(400);
  expect(errors).toHaveLength(50);
  expect(errors.at(-1)).toEqual(more("854"));
  expect(Math.max(...errors.map(({ field = "" }) => field.length))).toBe(101);
  expect(answer.body.length).toBeLessThan(25_000);
});

test("a batch that is refused whole is answered as briefly", async () => {
  const { errors, answer } = await post("/v1/messages/batch", {
    messages: [],
    ...unknownFields(990, 900),
  });
  expect(answer.statusCode).toBe(400);
  expect(errors.at(-1)).toEqual(more("942"));
  expect(answer.body.length).toBeLessThan(25_000);
});

test("so is one with thousands of entries that are no messages", async () => {
  const { errors, answer } = await post("/v1/messages/batch", { messages: Array(9_000).fill(1) });
  expect(answer.statusCode).toBe(400);
  expect(errors).toHaveLength(50);
  expect(errors.at(-1)).toEqual(more("8,952"));
});

test("so is a message of a batch with hundreds of unknown fields", async () => {
  const { results, answer } = await post("/v1/messages/batch", {
    messages: [unknownFields(990, 900)],
  });
  expect(results[0]!.errors.slice(0, 3).map(({ field }) => field)).toEqual([
    "targetId",
    "deliveryTime",
    "payload",
  ]);
  expect(results[0]!.errors.at(-1)).toEqual(more("984"));
  expect(answer.body.length).toBeLessThan(5_000);
});

test("of many bad messages each is told why, and all together a few hundred things", async () => {
  const { results, answer } = await post("/v1/messages/batch", {
    messages: Array.from({ length: 900 }, () => unknownFields(9, 2)),
  });
  expect(results).toHaveLength(900);
  expect(results[0]!.errors).toHaveLength(10);
  expect(results.every(({ errors }) => errors[0]?.field === "targetId")).toBe(true);
  expect(results.flatMap(({ errors }) => errors).length).toBeLessThan(2_500);
  expect(answer.body.length).toBeLessThan(500_000);
});

test("half a surrogate pair below long names is named briefly", async () => {
  const long = "n".repeat(1_000);
  const { errors, answer } = await post("/v1/targets", { [long]: { [long]: ["\ud800"] } });
  expect(answer.statusCode).toBe(400);
  expect(answer.body).toContain("surrogate");
  expect(answer.body.length).toBeLessThan(2_000);
  expect(errors.every(({ code }) => code === "E-DI-1001")).toBe(true);
});

test("what no answer would name is not put into words", async () => {
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
