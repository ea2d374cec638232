import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commonService } from "../../../server/test/support/common-service.ts";
import { startReceiver } from "../../../server/test/support/receiver.ts";
import {
  signedHeaders,
  secret as signingSecret,
} from "../../src/webhook/testing/signed-request.ts";
import { filesOf, guides, projectOf } from "./guide-files.ts";
import type { Guide } from "./guide-files.ts";
import { addHost, addNextHost, runGuide, startGuide } from "./guide-program.ts";

const root = join(import.meta.dirname, "../../../..");
const service = commonService();
const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const env = { POSTDATE_WEBHOOK_SECRET: secret };

interface Receiver {
  readonly guide: Guide;
  readonly file: string;
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the program that serves the file, where the guide leaves that to a host. */
  readonly host?: (folder: string) => string;
}

const receivers: readonly Receiver[] = [
  { guide: "node", file: "receive.ts" },
  { guide: "express", file: "receive.ts" },
  { guide: "express", file: "kept.ts" },
  { guide: "fastify", file: "receive.ts" },
  { guide: "workers", file: "worker.ts", host: (folder) => addHost(folder, "worker.ts") },
  { guide: "workers", file: "hono.ts", host: (folder) => addHost(folder, "hono.ts") },
  { guide: "nextjs", file: "app/api/hook/route.ts", path: "/api/hook", host: addNextHost },
  {
    guide: "nextjs",
    file: "pages/api/hook.ts",
    path: "/api/hook",
    host: addNextHost,
    env: { ROUTER: "pages" },
  },
];

describe.each(receivers)(
  "guide $guide, $file",
  ({ guide, file, path = "/hook", host, ...more }) => {
    test.each(["text/plain; charset=utf-8", "application/json"])(
      "receives a delivery of %s, and refuses a forged one",
      async (contentType) => {
        const folder = projectOf(guide);
        const program = host?.(folder) ?? file;
        const receiver = await runGuide(folder, program, { ...env, ...more.env });
        const { url, nextLine, complaints } = receiver;
        const target = await service.target({ url: url + path, secret, contentType });
        const { messageId } = await target.schedule({ payload: '{"orderId":7}' });
        expect(await nextLine()).toBe(`Reminding of order 7 (${messageId})`);
        await service.reaches(messageId, "DELIVERED");

        const headers = { ...signedHeaders(), "content-type": contentType };
        const forged = await fetch(url + path, { method: "POST", headers, body: "{}" });
        expect(forged.status).toBe(401);
        await expect
          .poll(complaints)
          .toContain("No signature matches. Is secret the target's or event endpoint's own");
      },
    );
  },
);

test("node.md: verify.ts verifies headers and body that a gateway hands over", async () => {
  const { handler } = (await import(join(projectOf("node"), "verify.ts"))) as {
    handler(event: object): Promise<{ statusCode: number; body?: string }>;
  };
  vi.stubEnv("POSTDATE_WEBHOOK_SECRET", signingSecret);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const headers = signedHeaders();
    expect(await handler({ headers, body: "hello" })).toEqual({ statusCode: 204 });
    expect(log).toHaveBeenCalledExactlyOnceWith("msg_1: hello");
    expect(await handler({ headers, body: "changed" })).toMatchObject({ statusCode: 401 });
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
});

test("node.md: receive.ts rejects a payload that is no order", async () => {
  const { url } = await runGuide(projectOf("node"), "receive.ts", env);
  const target = await service.target({ url: `${url}/hook`, secret });
  for (const payload of ["not JSON", "null"]) {
    const { messageId } = await target.schedule({ payload });
    expect(await service.reaches(messageId, "DEAD_LETTER")).toMatchObject({
      deliveryFailureCount: 1,
    });
    const { attempts } = await service.ok("GET", `/v1/messages/${messageId}/attempts`);
    expect(attempts).toMatchObject([{ statusCode: 410, response: "The payload is not an order." }]);
  }
});

test("dead-letter-alerts.md: alert.ts says each dead letter in the chat, also if that refuses at first", async () => {
  const lines: string[] = [];
  const chat = await startReceiver();
  onTestFinished(() => chat.close());
  chat.answerWith(({ body }, response) => {
    lines.push((JSON.parse(body.toString()) as { text: string }).text);
    response.writeHead(lines.length === 1 ? 500 : 200).end();
  });
  const program = await runGuide(projectOf("dead-letter-alerts"), "alert.ts", {
    ...env,
    CHAT_WEBHOOK_URL: chat.url,
  });
  const endpoint = { kind: "webhook", url: `${program.url}/events`, secret };
  const created = await service.api("POST", "/v1/event-endpoints", {
    body: { ...endpoint, endpointId: "dead-letters", types: ["message.dead_lettered"] },
  });
  expect(created.status).toBe(201);
  service.receiver.answerWith((_, response) => response.writeHead(503).end());
  onTestFinished(() => service.receiver.answerWith((_, response) => response.writeHead(204).end()));
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  const { messageId } = await target.schedule({ payload: "x" });
  const told = `${messageId} for ${target.targetId} could not be delivered: `;
  expect(await program.nextLine()).toContain(`Told: ${told}`);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(told);
  expect(lines[1]).toBe(lines[0]);
  expect(program.complaints()).toContain("The chat answered 500.");
});

test("dead-letter-alerts.md: alert.ts does not start without a secret", async () => {
  const noSecret = { POSTDATE_WEBHOOK_SECRET: "" };
  const program = startGuide(projectOf("dead-letter-alerts"), "alert.ts", noSecret);
  expect(await program.ended).toEqual([1, null]);
  await expect
    .poll(program.complaints)
    .toBe("Set POSTDATE_WEBHOOK_SECRET to the secret that events add printed.\n");
});

test("events.md: feed.ts prints what happens, also when it is started again", async () => {
  const folder = projectOf("events");
  const reader = { POSTDATE_URL: service.url, POSTDATE_KEY: service.key };
  const { nextLine } = startGuide(folder, "feed.ts", reader);
  await expect
    .poll(async () => (await service.api("GET", "/v1/event-endpoints/feed")).status)
    .toBe(200);
  const { targetId, schedule } = await service.target({});
  const { messageId } = await schedule({ payload: "x" });
  expect(await nextLine()).toContain(`postdate.target.created.v1 targets/${targetId}`);
  const delivered = `postdate.message.delivered.v1 messages/${messageId}`;
  expect(await nextLine()).toContain(delivered);
  const again = startGuide(folder, "feed.ts", reader);
  await again.nextLine();
  expect(await again.nextLine()).toContain(delivered);
  await service.ok("DELETE", "/v1/event-endpoints/feed");
});

/** Where each guide schedules. */
const schedulers = [
  ["node", "schedule.ts"],
  ["express", "schedule.ts"],
  ["fastify", "schedule.ts"],
  ["nextjs", "app/orders/actions.ts"],
  ["workers", "schedule.ts"],
] as const;

async function makeTarget(): Promise<void> {
  const before = await service.api("GET", "/v1/targets/reminders");
  if (before.status !== 404) return;
  const url = `${service.receiver.url}/reminders`;
  await service.ok("POST", "/v1/targets", { body: { targetId: "reminders", url, secret } });
}

function printedBy(folder: string, file: string): string {
  return execFileSync(process.execPath, [file], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, POSTDATE_URL: service.url, POSTDATE_KEY: service.key },
  });
}

test("node.md: order.ts prints the id of the same message each time", async () => {
  await makeTarget();
  const folder = projectOf("node");
  const messageId = printedBy(folder, "order.ts").trim();
  expect(printedBy(folder, "order.ts").trim()).toBe(messageId);
  const { payload } = await service.ok("GET", `/v1/messages/${messageId}/payload`);
  expect(payload).toBe('{"orderId":4711}');
});

test.each(schedulers)("guide %s, %s: schedules, once however often", async (guide, file) => {
  const orderId = schedulers.findIndex(([each]) => each === guide);
  await makeTarget();
  const folder = projectOf(guide);
  const given = guide === "workers" ? `process.env, ${orderId}` : String(orderId);
  const program = `
    import { remindLater } from "./${file}";
    console.log(await remindLater(${given}));
    console.log(await remindLater(${given}));
  `;
  writeFileSync(join(folder, "program.ts"), program);
  const [messageId, again] = printedBy(folder, "program.ts").split("\n");
  expect(again).toBe(messageId);
  const message = await service.ok("GET", `/v1/messages/${messageId}`);
  expect(message).toMatchObject({ state: "SCHEDULED", targetId: "reminders" });
  const delayMs = Date.parse(message.nextDeliveryTime) - Date.parse(message.schedulingTime);
  expect(delayMs).toBe(2 * 3_600_000);
  const payload = await service.ok("GET", `/v1/messages/${messageId}/payload`);
  expect(JSON.parse(payload.payload)).toEqual({ orderId });
});

const compilerOptions = {
  target: "es2024",
  lib: ["es2024"],
  module: "nodenext",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  // The package is its source here.
  allowImportingTsExtensions: true,
  types: ["node"],
};

/** What Next.js demands of a route. */
const routeCheck = `
  import { POST } from "./app/api/hook/route.ts";
  type Context = { params: Promise<Record<string, string>> };
  POST satisfies (request: Request, context: Context) => Response | Promise<Response>;
`;

test.each(guides)("the code of %s.md compiles", (guide) => {
  const folder = projectOf(guide);
  const files = [...filesOf(guide).keys()];
  expect(files).not.toEqual([]);
  if (guide === "nextjs") {
    files.push("check-route.ts");
    writeFileSync(join(folder, "check-route.ts"), routeCheck);
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  let printed = "";
  try {
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  } catch (error) {
    printed = (error as { stdout: string }).stdout;
  }
  expect(printed).toBe("");
});

/** The anchor that a heading has on GitHub. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test("no guide links to a page or a heading that is not there", () => {
  const pages = globSync("docs/guides/*.md", { cwd: root });
  expect(pages.length).toBeGreaterThan(guides.length);
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(
      ([link, path, anchor]) => {
        const target = path === "" ? page : join(dirname(page), path!);
        if (globSync(target, { cwd: root }).length === 0) return [`${page}: ${link}`];
        if (anchor === undefined) return [];
        const headings = readFileSync(join(root, target), "utf8").matchAll(/^#+ (.+)$/gm);
        const anchors = [...headings].map(([, heading]) => anchorOf(heading!));
        return anchors.includes(anchor) ? [] : [`${page}: ${link}`];
      },
    );
  });
  expect(broken).toEqual([]);
});
