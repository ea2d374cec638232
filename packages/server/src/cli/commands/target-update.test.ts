import { expect, test } from "vitest";
import { connected, type ConnectedTerminal } from "../testing/connected-terminal.ts";
import { wireTarget } from "../testing/samples.ts";
import type { RetryPolicy, Target, TargetWithSecret } from "@postdate/client";

/** A service that keeps one target, and changes it part by part; null brings a default back. */
function keeping(changes: Partial<TargetWithSecret> = {}): Promise<ConnectedTerminal> {
  const defaults = wireTarget({ headers: {} });
  let target = wireTarget(changes);
  return connected(({ method, body }) => {
    if (method !== "PATCH") return { json: target };
    const parts = Object.entries(body as Partial<Target>).map(([name, value]) => [
      name,
      value ?? defaults[name as keyof Target],
    ]);
    target = { ...target, ...(Object.fromEntries(parts) as Partial<Target>) };
    return { json: target };
  });
}

async function patchOf(argv: readonly string[], changes: Partial<TargetWithSecret> = {}) {
  const terminal = await keeping(changes);
  expect(await terminal.run("target", "update", "billing", ...argv), terminal.stderr.text).toBe(0);
  const [read, patch, ...others] = terminal.asked;
  expect([read!.method, patch!.method, others.length]).toEqual(["GET", "PATCH", 0]);
  expect(patch!.path).toBe("/v1/targets/billing");
  return patch!.body;
}

test.each<[string[], unknown]>([
  [["https://x.example/y"], { url: "https://x.example/y" }],
  [["--header", "X-A: 1", "--header", "X-B: 2"], { headers: { "X-A": "1", "X-B": "2" } }],
  [["--no-headers"], { headers: null }],
  [["--content-type", "application/json"], { contentType: "application/json" }],
  [["--content-type", "default"], { contentType: null }],
  [["--timeout", "5s"], { timeoutMs: 5_000 }],
  [["--timeout", "default"], { timeoutMs: null }],
  [["--max-concurrency", "3"], { maxConcurrency: 3 }],
  [["--max-concurrency", "default"], { maxConcurrency: null }],
  [["--rate", "10/s"], { rateLimit: { max: 10, intervalMs: 1_000 } }],
  [["--rate", "none"], { rateLimit: null }],
  [["--paused", "yes"], { paused: true }],
  [["--paused", "no", "--rate", "none"], { paused: false, rateLimit: null }],
  [["--default-retries"], { retryPolicy: null }],
])("target update %j sends %j and leaves the rest alone", async (argv, body) => {
  expect(await patchOf(argv)).toEqual(body);
});

const policy: RetryPolicy = {
  maxAttempts: 10,
  backoff: { kind: "list", delaysMs: [5_000, 300_000], jitter: 0.1 },
  finalStatuses: [404],
  maxRetryAfterMs: 3_600_000,
};

test.each<[string[], unknown]>([
  [["--max-attempts", "4"], { ...policy, maxAttempts: 4 }],
  [["--final-status", "400,422"], { ...policy, finalStatuses: [400, 422] }],
  [["--final-status", "none"], { ...policy, finalStatuses: [] }],
  [["--max-retry-after", "10m"], { ...policy, maxRetryAfterMs: 600_000 }],
  [
    ["--backoff", "1s,2s, 1m"],
    { ...policy, backoff: { ...policy.backoff, delaysMs: [1_000, 2_000, 60_000] } },
  ],
  [["--jitter", "50%"], { ...policy, backoff: { ...policy.backoff, jitter: 0.5 } }],
  [
    ["--backoff", "exponential", "--backoff-start", "1s", "--backoff-longest", "10m"],
    { ...policy, backoff: { kind: "exponential", initialMs: 1_000, maxMs: 600_000 } },
  ],
])("of the retries, %j changes that alone", async (argv, retryPolicy) => {
  expect(await patchOf(argv, { retryPolicy: policy })).toEqual({ retryPolicy });
});

test("parts of a growing backoff stay where they are not given", async () => {
  const backoff = {
    kind: "exponential",
    initialMs: 1_000,
    factor: 2,
    maxMs: 60_000,
    jitter: 0,
  } as const;
  expect(await patchOf(["--backoff-factor", "3"], { retryPolicy: { ...policy, backoff } })).toEqual(
    { retryPolicy: { ...policy, backoff: { ...backoff, factor: 3 } } },
  );
});

test("it shows what changed, and says where nothing did", async () => {
  const terminal = await keeping();
  await terminal.run("target", "update", "billing", "--timeout", "5s", "--rate", "10/s");
  expect(terminal.stdout.text).toBe(
    "Changed billing:\n  Timeout  15 s → 5 s\n  Rate     unlimited → at most 10 in 1 s\n",
  );
  const again = await keeping({ timeoutMs: 5_000 });
  await again.run("target", "update", "billing", "--timeout", "5s");
  expect(again.stdout.text).toBe("Nothing changed: billing is as you ask already.\n");
});

test("new values of the same headers are a change, whose values nobody sees", async () => {
  const terminal = await keeping();
  await terminal.run("target", "update", "billing", "--header", "authorization: Bearer other");
  expect(terminal.stdout.text).toBe(
    "Changed billing:\n  Headers  authorization, with the values given\n",
  );
});

test("--json is the service's answer alone", async () => {
  const terminal = await keeping();
  await terminal.run("target", "update", "billing", "--timeout", "5s", "--json");
  expect(JSON.parse(terminal.stdout.text)).toMatchObject({ timeoutMs: 5_000 });
});

test.each([
  [[], /say what to change/],
  [["--timeout", "5"], /--timeout has no unit/],
  [["--rate", "10"], /--rate must look like 10\/s/],
  [["--paused", "maybe"], /--paused must be one of yes, no/],
  [["--backoff", "1s,soon"], /--backoff is not a duration: "soon"/],
  [["--backoff", "1s,2s", "--backoff-factor", "3"], /--backoff-factor belongs to a growing/],
  [["--backoff-factor", "0.5"], /--backoff-factor must be a number from 1 to 100/],
  [["--jitter", "2"], /--jitter must be/],
  [["--final-status", "999"], /--final-status must be a whole number from 100 to 599/],
  [["--max-attempts", "0"], /--max-attempts must be a whole number/],
  [["--default-retries", "--max-attempts", "3"], /--default-retries/],
  [["--header", "a: b", "--no-headers"], /--no-headers/],
])("target update %j is wrong usage", async (argv, message) => {
  const terminal = await keeping();
  expect(await terminal.run("target", "update", "billing", ...argv)).toBe(2);
  expect(terminal.stderr.text).toMatch(message);
  expect(terminal.asked.filter(({ method }) => method === "PATCH")).toEqual([]);
});

test.each<[string[], unknown]>([
  [["--max-attempts", "4"], { maxAttempts: 4 }],
  [["--backoff", "1s,2s"], { backoff: { kind: "list", delaysMs: [1_000, 2_000] } }],
  [
    [
      "--backoff",
      "exponential",
      "--jitter",
      "0.2",
      "--final-status",
      "400",
      "--final-status",
      "404",
    ],
    { backoff: { kind: "exponential", jitter: 0.2 }, finalStatuses: [400, 404] },
  ],
  [["--backoff-start", "2s"], { backoff: { kind: "exponential", initialMs: 2_000 } }],
  [["--max-retry-after", "1d"], { maxRetryAfterMs: 86_400_000 }],
])("target add %j asks for these retries, the rest by default", async (argv, retryPolicy) => {
  const terminal = await keeping();
  expect(await terminal.run("target", "add", "https://x.example", ...argv)).toBe(0);
  expect(terminal.asked[0]!.body).toMatchObject({ retryPolicy });
  expect(Object.keys((terminal.asked[0]!.body as { retryPolicy: object }).retryPolicy)).toEqual(
    Object.keys(retryPolicy as object),
  );
});

test("target add --jitter alone spreads the ladder that is there by default", async () => {
  const terminal = await keeping();
  expect(await terminal.run("target", "add", "https://x.example", "--jitter", "0")).toBe(0);
  expect(terminal.asked[0]!.body).toMatchObject({
    retryPolicy: {
      backoff: { kind: "list", delaysMs: expect.arrayContaining([5_000]), jitter: 0 },
    },
  });
});

test.each<[string[], unknown]>([
  [[], {}],
  [["--overlap", "1h"], { overlapMs: 3_600_000 }],
  [["--overlap", "0s", "--secret", "whsec_x"], { overlapMs: 0, secret: "whsec_x" }],
])("target rotate-secret %j", async (argv, body) => {
  const terminal = await keeping({ secret: "whsec_new" });
  expect(await terminal.run("target", "rotate-secret", "billing", ...argv)).toBe(0);
  expect(terminal.asked[0]).toMatchObject({
    method: "POST",
    path: "/v1/targets/billing/rotate-secret",
    body,
  });
  expect(terminal.stderr.text).toContain("not shown again");
});

test("target rotate-secret refuses an overlap that the service would", async () => {
  const terminal = await keeping();
  expect(await terminal.run("target", "rotate-secret", "billing", "--overlap", "8d")).toBe(2);
  expect(terminal.stderr.text).toContain("--overlap must be from 0s to 7d");
});
