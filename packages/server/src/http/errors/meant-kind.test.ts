import { namedSchemas, targetKinds, targetSchemas, Type } from "@postdate/contract";
import type { TargetKindSchema } from "@postdate/contract";
import { fastify } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSerialisers, buildValidators, validatorOptions } from "../body/compilers.ts";
import { soundBody } from "./request-problems.ts";

/** Shares no field with a webhook, and is not signed. */
const mailbox: TargetKindSchema = {
  kind: "mailbox",
  signs: false,
  failures: ["TIMEOUT"],
  shown: { mailbox: Type.String() },
  given: { mailbox: Type.String({ minLength: 1 }), patienceMs: Type.Optional(Type.Integer()) },
  changed: { mailbox: Type.Optional(Type.String({ minLength: 1 })) },
  examples: { given: { mailbox: "front-door" }, changed: {} },
};
const schemas = targetSchemas([...targetKinds, mailbox]);

const app = fastify({
  schemaController: {
    compilersFactory: { buildSerializer: buildSerialisers, buildValidator: buildValidators },
  },
  ajv: { customOptions: validatorOptions },
});
beforeAll(async () => {
  const joined = [
    schemas.given({ $id: "NewTarget" }),
    schemas.changed({ $id: "TargetChange" }),
    schemas.shownWithSecret({ $id: "SomeTarget" }),
  ];
  for (const schema of [...namedSchemas, ...joined]) app.addSchema(schema);
  for (const name of ["NewTarget", "TargetChange"]) {
    app.post(
      `/${name}`,
      { attachValidation: true, schema: { body: { $ref: `${name}#` } } },
      (request) => soundBody(request, request.body as object).problems,
    );
  }
  app.post(
    "/SomeTarget",
    { schema: { response: { 200: { $ref: "SomeTarget#" } } } },
    (request) => request.body,
  );
  await app.ready();
});
afterAll(() => app.close());

const post = async (name: string, body: object): Promise<unknown> =>
  (await app.inject({ method: "POST", url: `/${name}`, body })).json();
const problemsOf = async (name: string, body: object) =>
  ((await post(name, body)) as { message: string }[]).map(({ message }) => message);

const url = "https://example.com/";

test.each([
  [{ url }],
  [{ kind: "webhook", url, timeoutMs: 100, secret: "whsec_x" }],
  [{ kind: "mailbox", mailbox: "a", patienceMs: 1, paused: true }],
])("takes %j", async (body) => expect(await problemsOf("NewTarget", body)).toEqual([]));

test.each<[object, string[]]>([
  [{}, ["url is missing."]],
  [{ url, timeoutMs: 1 }, ["timeoutMs must be 100 or more."]],
  [{ url, mailbox: "a" }, ['There is no field "mailbox" here. Leave it out.']],
  [{ kind: "mailbox" }, ["mailbox is missing."]],
  [{ kind: "mailbox", mailbox: "" }, ["mailbox must not be empty."]],
  [{ kind: "mailbox", mailbox: "a", url }, ['There is no field "url" here. Leave it out.']],
  [
    { kind: "mailbox", mailbox: "a", secret: "x" },
    ['There is no field "secret" here. Leave it out.'],
  ],
  [{ kind: "pigeon", url }, ['kind must be one of "webhook", "mailbox".']],
])("reports for %j the problems of the kind that the caller means", async (body, messages) => {
  expect(await problemsOf("NewTarget", body)).toEqual(messages);
});

test("a change may have the fields of any kind, each as its schema says", async () => {
  expect(await problemsOf("TargetChange", { mailbox: "a", timeoutMs: null })).toEqual([]);
  expect(await problemsOf("TargetChange", { mailbox: "" })).toEqual(["mailbox must not be empty."]);
});

test("an answer has only the fields of its kind", async () => {
  const shared = {
    targetId: "t",
    retryPolicy: {
      maxAttempts: 1,
      backoff: { kind: "list", delaysMs: [1], jitter: 0 },
      finalStatuses: [],
      maxRetryAfterMs: 1,
    },
    maxConcurrency: 1,
    rateLimit: null,
    paused: false,
    failingAfter: { attempts: 10, ms: 60_000 },
    creationTime: "2026-11-14T09:30:00.000Z",
    updateTime: "2026-11-14T09:30:00.000Z",
  };
  const webhook = { url, headers: {}, contentType: "a/b", timeoutMs: 100, secret: "whsec_x" };
  const both = [
    { ...shared, kind: "webhook", ...webhook },
    { ...shared, kind: "mailbox", mailbox: "a" },
  ];
  for (const target of both) expect(await post("SomeTarget", target)).toEqual(target);
});

test("two kinds cannot mean different things by one field", () => {
  const other = { ...mailbox, kind: "other", changed: { mailbox: Type.Integer() } };
  const schemasOfBoth = targetSchemas([mailbox, other]);
  expect(() => schemasOfBoth.changed({})).toThrow("different schemas for mailbox");
});
