import { expect, test } from "vitest";
import { openTerminal } from "../testing/command-line.ts";
import { connected } from "../testing/connected-terminal.ts";

const account = {
  accountId: "shop",
  name: "Blue\u001b[2J Shop",
  state: "SUSPENDED",
  monthlyMessageLimit: 500,
  requestLimit: { max: 100, intervalMs: 1_000 },
  creationTime: "2026-11-14T09:30:00.000Z",
  suspensionTime: "2026-11-15T09:30:00.000Z",
};
const client = {
  clientId: "cli_1",
  name: "shop",
  scopes: ["scheduler.messages.readwrite"],
  creationTime: account.creationTime,
  secretTime: account.creationTime,
};
const key = { keyId: "key_1", name: "x", scopes: [], creationTime: account.creationTime };
const entry = {
  entryId: "aud_1",
  time: account.creationTime,
  actor: { kind: "key", id: "key_1" },
  requestId: null,
  action: "target.updated",
  subjectId: "orders",
  detail: { fields: ["url"] },
};
const usage = {
  month: "2026-11",
  used: 3,
  limit: 500,
  remaining: 497,
  resetTime: "2026-12-01T00:00:00.000Z",
};
const time = "2027-01-01T09:00:00+01:00";

const operator = "Bearer pdo_0123456789abcdef";
const caller = "Bearer pd_0123456789abcdef";

test.each<[argv: string[], asked: string, body: unknown, json: unknown, authorization: string]>([
  [["account", "create"], "POST /v1/accounts", {}, { ...account, key: "pd_new" }, operator],
  [["account", "list"], "GET /v1/accounts", undefined, { items: [account] }, operator],
  [
    ["account", "get", "shop"],
    "GET /v1/accounts/shop",
    undefined,
    { ...account, usage: { month: "2026-11", used: 3 } },
    operator,
  ],
  [
    ["account", "update", "shop", "--monthly-limit", "none", "--request-limit", "none"],
    "PATCH /v1/accounts/shop",
    { monthlyMessageLimit: null, requestLimit: null },
    account,
    operator,
  ],
  [["account", "suspend", "shop"], "POST /v1/accounts/shop/suspend", undefined, account, operator],
  [["account", "resume", "a/b"], "POST /v1/accounts/a%2Fb/resume", undefined, account, operator],
  [
    ["account", "delete", "shop", "--yes"],
    "DELETE /v1/accounts/shop",
    undefined,
    account,
    operator,
  ],
  [
    ["account", "create-key", "shop", "--name", "x"],
    "POST /v1/accounts/shop/keys",
    { name: "x", scopes: ["scheduler.all.readwrite"] },
    { ...key, key: "pd_new" },
    operator,
  ],
  [
    ["client", "create", "--name", "shop", "--scope", "scheduler.all.read"],
    "POST /v1/clients",
    { name: "shop", scopes: ["scheduler.all.read"] },
    { ...client, clientSecret: "pds_new" },
    caller,
  ],
  [["client", "list"], "GET /v1/clients", undefined, { items: [client] }, caller],
  [
    ["client", "rotate-secret", "cli_1"],
    "POST /v1/clients/cli_1/rotate-secret",
    {},
    { ...client, clientSecret: "pds_new" },
    caller,
  ],
  [
    ["client", "rotate-secret", "cli_1", "--overlap", "0s"],
    "POST /v1/clients/cli_1/rotate-secret",
    { overlapMs: 0 },
    { ...client, clientSecret: "pds_new" },
    caller,
  ],
  [["client", "delete", "cli_1"], "DELETE /v1/clients/cli_1", undefined, client, caller],
  [["usage"], "GET /v1/usage", undefined, usage, caller],
  [
    ["audit", "--min-time", time, "--limit", "5"],
    "GET /v1/audit-log?minTime=2027-01-01T09%3A00%3A00%2B01%3A00&limit=5",
    undefined,
    { items: [entry] },
    caller,
  ],
  [
    ["audit", "--account", "shop"],
    "GET /v1/accounts/shop/audit-log",
    undefined,
    { items: [{ ...entry, accountId: "shop" }] },
    operator,
  ],
  [
    ["audit", "--all-accounts"],
    "GET /v1/operator/audit-log",
    undefined,
    { items: [{ ...entry, accountId: null }] },
    operator,
  ],
])(
  "%j calls the service once, with the right key, and with --json prints its answer",
  async (argv, asked, body, json, authorization) => {
    const terminal = await connected(() => ({ json }));
    expect(await terminal.run(...argv, "--json")).toBe(0);
    const [request] = terminal.asked;
    expect(terminal.asked).toHaveLength(1);
    expect(`${request!.method} ${request!.path}`).toBe(asked);
    expect(request!.body).toEqual(body);
    expect(request!.headers.authorization).toBe(authorization);
    expect(JSON.parse(terminal.stdout.text)).toEqual(json);
    expect(await terminal.run(...argv)).toBe(0);
  },
);

test("stdout has only what a script needs", async () => {
  const answer = { ...account, ...client, ...key, key: "pd_new", clientSecret: "pds_new" };
  const printed = async (...argv: string[]): Promise<string> => {
    const terminal = await connected(() => ({ json: answer }));
    expect(await terminal.run(...argv)).toBe(0);
    expect(terminal.stderr.text).toContain("not shown again");
    return terminal.stdout.text;
  };
  expect(await printed("account", "create", "--id", "shop")).toBe("pd_new\n");
  expect(await printed("account", "create-key", "shop", "--name", "x")).toBe("pd_new\n");
  expect(await printed("client", "create", "--name", "x")).toBe("cli_1 pds_new\n");
  expect(await printed("client", "rotate-secret", "cli_1")).toBe("pds_new\n");
});

test.each([
  [[], /^The old secret also works until \S+ \(in 1 d\)\.$/m],
  [["--overlap", "90m"], /^The old secret also works until \S+ \(in 1 h 30 min\)\.$/m],
  [["--overlap", "0s"], /^The old secret no longer works\.$/m],
])(
  "a rotation of a client's secret with %j says how long the old one works",
  async (argv, said) => {
    const terminal = await connected(() => ({ json: { ...client, clientSecret: "pds_new" } }));
    expect(await terminal.run("client", "rotate-secret", "cli_1", ...argv)).toBe(0);
    expect(terminal.stdout.text).toBe("pds_new\n");
    expect(terminal.stderr.text).toMatch(said);
  },
);

test("account create turns its options into the account's fields", async () => {
  const terminal = await connected(() => ({ json: { ...account, key: "pd_new" } }));
  const parts = ["--id", "shop", "--name", "Blue Shop", "--monthly-limit", "0"];
  await terminal.run("account", "create", ...parts, "--request-limit", "100/1m");
  expect(terminal.asked[0]!.body).toEqual({
    accountId: "shop",
    name: "Blue Shop",
    monthlyMessageLimit: 0,
    requestLimit: { max: 100, intervalMs: 60_000 },
  });
});

test.each([
  [["account", "create", "--monthly-limit", "-1"], "--monthly-limit"],
  [["account", "create", "--monthly-limit", "many"], "--monthly-limit"],
  [["account", "update", "shop", "--request-limit", "100"], "--request-limit"],
  [["account", "delete", "shop"], "--yes"],
  [["account", "delete", "..", "--yes"], "is not an id"],
  [["client", "rotate-secret", "cli_1", "--overlap", "8d"], "--overlap"],
  [["audit", "--min-time", "yesterday"], "--min-time"],
  [["audit", "--account", "shop", "--all-accounts"], "--account"],
])("%j is wrong usage, and the service is not called", async (argv, hint) => {
  const terminal = await connected(() => ({ json: account }));
  expect(await terminal.run(...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(hint);
  expect(terminal.asked).toEqual([]);
});

test("people read states, limits and usage; text from the service cannot control the terminal", async () => {
  const terminal = await connected(({ path }) => ({
    json: path.endsWith("usage")
      ? usage
      : path.endsWith("audit-log")
        ? { items: [{ ...entry, actor: { kind: "subject", id: "a\nb" }, accountId: null }] }
        : { ...account, usage: { month: "2026-11", used: 3 } },
  }));
  await terminal.run("account", "get", "shop");
  const card = terminal.stdout.text;
  expect(card).toMatch(/^Name +Blue\\u001b\[2J Shop$/m);
  expect(card).toMatch(/^State +suspended$/m);
  expect(card).toMatch(/^Messages +at most 500 a month$/m);
  expect(card).toMatch(/^Requests +at most 100 in 1 s$/m);
  expect(card).toMatch(/^Used +3 in 2026-11$/m);
  expect(card).toMatch(/^Suspended +2026-11-15T/m);
  await terminal.run("usage");
  expect(terminal.stdout.text).toMatch(/^Left +497$/m);
  await terminal.run("audit", "--all-accounts");
  expect(terminal.stdout.text).toMatch(
    /subject a\\nb +target\.updated +orders +- +fields=\["url"\]/,
  );
});

test("the operator's commands say where their key comes from", async () => {
  const without = openTerminal({ env: { POSTDATE_KEY: "pd_0123456789abcdef" } });
  expect(await without.run("account", "list")).toBe(2);
  expect(without.stderr.text).toContain("set POSTDATE_OPERATOR_KEY");
  const wrong = await connected(() => ({
    status: 401,
    json: { errors: [{ code: "E-DI-2001", message: "No" }] },
  }));
  expect(await wrong.run("account", "list")).toBe(1);
  expect(wrong.stderr.text).toContain("Check the key in --key or POSTDATE_OPERATOR_KEY.");
});
