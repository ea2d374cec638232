import openapi from "@postdate/contract/openapi.json" with { type: "json" };
import { expect, test } from "vitest";
import type { Postdate } from "../src/index.ts";
import { answer, scriptedServers } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

const secret = { clientId: "c 1", clientSecret: "s" };
const create = { name: "n", scopes: [] };

/** How the client makes each operation. Ids need escaping. */
const methods: Record<string, (postdate: Postdate) => PromiseLike<unknown>> = {
  scheduleMessage: ({ messages }) => messages.schedule({ targetId: "t", in: 1, payload: "" }),
  scheduleBatch: ({ messages }) => messages.scheduleBatch([]),
  findMessages: ({ messages }) => messages.find().page(),
  getMessage: ({ messages }) => messages.get("a/b c"),
  readPayload: ({ messages }) => messages.payload("a/b c"),
  listAttempts: ({ messages }) => messages.attempts("a/b c"),
  cancelMessage: ({ messages }) => messages.cancel("a/b c"),
  rescheduleMessage: ({ messages }) => messages.reschedule("a/b c", { in: 1 }),
  getMessageByKey: ({ messages }) => messages.getByKey("a/b c", "a/b c"),
  cancelMessageByKey: ({ messages }) => messages.cancelByKey("a/b c", "a/b c"),
  rescheduleMessageByKey: ({ messages }) => messages.rescheduleByKey("a/b c", "a/b c", { in: 1 }),
  listScheduledMessages: ({ targets }) => targets.scheduled("a/b c").page(),
  listDeadLetters: ({ targets }) => targets.deadLetters("a/b c").page(),
  createTarget: ({ targets }) => targets.create({ url: "https://example.com" }),
  listTargets: ({ targets }) => targets.list().page(),
  getTarget: ({ targets }) => targets.get("a/b c"),
  updateTarget: ({ targets }) => targets.update("a/b c", {}),
  removeTarget: ({ targets }) => targets.remove("a/b c"),
  pauseTarget: ({ targets }) => targets.pause("a/b c"),
  resumeTarget: ({ targets }) => targets.resume("a/b c"),
  testTarget: ({ targets }) => targets.test("a/b c"),
  rotateSecret: ({ targets }) => targets.rotateSecret("a/b c"),
  createJob: ({ jobs }) => jobs.create({ action: "cancel", filter: {} }),
  listJobs: ({ jobs }) => jobs.list().page(),
  getJob: ({ jobs }) => jobs.get("a/b c"),
  changeJob: ({ jobs }) => jobs.setRate("a/b c", 1),
  stopJob: ({ jobs }) => jobs.stop("a/b c"),
  pauseJob: ({ jobs }) => jobs.pause("a/b c"),
  resumeJob: ({ jobs }) => jobs.resume("a/b c"),
  redriveDeadLetters: ({ targets }) => targets.redrive("a/b c"),
  createSchedule: ({ schedules }) => schedules.create({ targetId: "t", payload: "" }),
  listSchedules: ({ schedules }) => schedules.list().page(),
  getSchedule: ({ schedules }) => schedules.get("a/b c"),
  putSchedule: ({ schedules }) => schedules.put("a/b c", { targetId: "t", payload: "" }),
  updateSchedule: ({ schedules }) => schedules.update("a/b c", {}),
  removeSchedule: ({ schedules }) => schedules.remove("a/b c"),
  pauseSchedule: ({ schedules }) => schedules.pause("a/b c"),
  resumeSchedule: ({ schedules }) => schedules.resume("a/b c"),
  triggerSchedule: ({ schedules }) => schedules.trigger("a/b c"),
  skipRun: ({ schedules }) => schedules.skip("a/b c", "2030-01-01T00:00:00Z"),
  unskipRun: ({ schedules }) => schedules.unskip("a/b c", "2030-01-01T00:00:00Z"),
  backfillSchedule: ({ schedules }) =>
    schedules.backfill("a/b c", { from: "2030-01-01T00:00:00Z" }),
  listRuns: ({ schedules }) => schedules.runs("a/b c").page(),
  previewSchedule: ({ schedules }) => schedules.preview({ cron: "@daily" }),
  getStats: ({ stats }) => stats.counts(),
  getActivity: ({ stats }) => stats.activity(),
  getForecast: ({ stats }) => stats.forecast(),
  listDeadLetterGroups: ({ stats }) => stats.deadLetterGroups(),
  listTargetStats: ({ stats }) => stats.targets().page(),
  createEventEndpoint: ({ events }) => events.create({ kind: "stream" }),
  listEventEndpoints: ({ events }) => events.list().page(),
  getEventEndpoint: ({ events }) => events.get("a/b c"),
  updateEventEndpoint: ({ events }) => events.update("a/b c", {}),
  removeEventEndpoint: ({ events }) => events.remove("a/b c"),
  pauseEventEndpoint: ({ events }) => events.pause("a/b c"),
  resumeEventEndpoint: ({ events }) => events.resume("a/b c"),
  testEventEndpoint: ({ events }) => events.test("a/b c"),
  rotateEventEndpointSecret: ({ events }) => events.rotateSecret("a/b c"),
  rewindEventEndpoint: ({ events }) => events.rewind("a/b c", "2030-01-01T00:00:00Z"),
  readEvents: ({ events }) => events.read("a/b c"),
  createKey: ({ keys }) => keys.create(create),
  listKeys: ({ keys }) => keys.list(),
  revokeKey: ({ keys }) => keys.revoke("a/b c"),
  createClient: ({ clients }) => clients.create(create),
  listClients: ({ clients }) => clients.list(),
  getClient: ({ clients }) => clients.get("a/b c"),
  removeClient: ({ clients }) => clients.remove("a/b c"),
  rotateClientSecret: ({ clients }) => clients.rotateSecret("a/b c"),
  issueToken: ({ oauth }) => oauth.token(secret),
  revokeToken: ({ oauth }) => oauth.revoke({ ...secret, token: "t" }),
  authorizationServer: ({ oauth }) => oauth.metadata(),
  keySet: ({ oauth }) => oauth.keySet(),
  listSigningKeys: ({ signingKeys }) => signingKeys.list(),
  rotateSigningKey: ({ signingKeys }) => signingKeys.rotate(),
  getEncryption: ({ encryption }) => encryption.status(),
  rotateEncryptionKey: ({ encryption }) => encryption.rotate(),
  createAccount: ({ accounts }) => accounts.create(),
  listAccounts: ({ accounts }) => accounts.list().page(),
  getAccount: ({ accounts }) => accounts.get("a/b c"),
  updateAccount: ({ accounts }) => accounts.update("a/b c", {}),
  removeAccount: ({ accounts }) => accounts.remove("a/b c"),
  suspendAccount: ({ accounts }) => accounts.suspend("a/b c"),
  resumeAccount: ({ accounts }) => accounts.resume("a/b c"),
  createAccountKey: ({ accounts }) => accounts.createKey("a/b c", create),
  listAccountAuditEntries: ({ accounts }) => accounts.auditLog("a/b c").page(),
  getOwnAccount: (postdate) => postdate.account(),
  getUsage: (postdate) => postdate.usage(),
  listNodes: (postdate) => postdate.nodes(),
  listAuditEntries: (postdate) => postdate.auditLog().page(),
  listAllAuditEntries: (postdate) => postdate.operatorAuditLog().page(),
  health: (postdate) => postdate.health(),
  readiness: (postdate) => postdate.ready(),
  metrics: (postdate) => postdate.metrics(),
};

/** Only browsers have sessions: a program sends its key. A stream has its own tests. */
const withoutMethod = new Set(["signIn", "getSession", "signOut", "streamEvents"]);

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly unknown[];
  readonly body: string | undefined;
}

const everyOperation: Operation[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const { operationId, security, requestBody } = described as {
      operationId: string;
      security: unknown[];
      requestBody?: { content: Record<string, unknown> };
    };
    const body = Object.keys(requestBody?.content ?? {})[0];
    return { operationId, method: method.toUpperCase(), path, security, body };
  }),
);

const operations = everyOperation.filter(({ operationId }) => !withoutMethod.has(operationId));

test("every operation of the service has a method", () => {
  expect(Object.keys(methods).toSorted()).toEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
  );
});

test.each(operations)("$operationId is $method $path", async (operation) => {
  const lists = { items: [], results: [], attempts: [], occurrences: [] };
  const server = await serverWith(answer(200, { ...lists, payload: "" }));
  await methods[operation.operationId]!(server.client());
  expect(server.received).toHaveLength(1);
  const [request] = server.received;
  expect(request?.method).toBe(operation.method);
  expect(request?.path).toBe(operation.path.replaceAll(/\{\w+\}/g, "a%2Fb%20c"));
  expect(request?.headers.authorization).toBe(
    operation.security.length > 0 ? "Bearer pd_test" : undefined,
  );
  if (request?.text !== "")
    expect(request?.headers["content-type"]?.split(";")[0]).toBe(operation.body);
});

const withIds = operations.filter(({ path }) => path.includes("{"));
const byName = new Map(withIds.map(({ operationId }) => [operationId, methods[operationId]!]));

test.each(["", ".", ".."])("the id %j is refused before a call", async (id) => {
  const server = await serverWith(answer(200, {}));
  for (const [name, call] of byName) {
    const withId = swapIds(server.client(), id);
    await expect(async () => call(withId), name).rejects.toThrow(/is not an id/);
  }
  expect(server.received).toEqual([]);
});

/** The same client, whose methods get this id in place of the one in the table. */
function swapIds<Room extends object>(room: Room, id: string): Room {
  return new Proxy(room, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === "function") {
        return (...given: unknown[]) =>
          (value as (...args: unknown[]) => unknown).apply(
            target,
            given.map((each) => (each === "a/b c" ? id : each)),
          );
      }
      return typeof value === "object" && value !== null ? swapIds(value, id) : value;
    },
  });
}
