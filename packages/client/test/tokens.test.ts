import { expect, onTestFinished, test, vi } from "vitest";
import type { Postdate } from "../src/index.ts";
import { ApiError, ConnectionError, TimeoutError } from "../src/index.ts";
import {
  answer,
  hangUp,
  messageOf,
  page,
  refusal,
  scriptedServers,
} from "./support/scripted-server.ts";
import type { Received, Script } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

interface Issuer {
  readonly script: Script;
  issued: number;
  /** The tokens that are refused. */
  readonly revoked: Set<string>;
}

/** Issues tokens that are valid for so long, and answers everybody who has one. */
function issuer(expiresIn = 3_600): Issuer {
  const made: Issuer = {
    issued: 0,
    revoked: new Set(),
    script(request, response) {
      if (request.path === "/oauth/token") {
        const token = { access_token: `token-${++made.issued}`, expires_in: expiresIn };
        return answer(200, { ...token, token_type: "Bearer", scope: "" })(request, response);
      }
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      const isGood = /^token-\d+$/.test(token) && !made.revoked.has(token);
      const reply = isGood ? answer(200, messageOf("m")) : refusal(401, "E-DI-2001");
      return reply(request, response);
    },
  };
  return made;
}

const asClient = { key: undefined, clientId: "cli_1", clientSecret: "pds_s+ec/ret" };
const get = (postdate: Postdate) => postdate.messages.get("m");
const credentials = (requests: readonly Received[]) =>
  requests
    .filter(({ path }) => path !== "/oauth/token")
    .map(({ headers }) => headers.authorization);

test("callers share one token, and one request for it", async () => {
  const tokens = issuer();
  const server = await serverWith(tokens.script);
  const postdate = server.client(asClient);
  await Promise.all(Array.from({ length: 10 }, () => get(postdate)));
  await get(postdate);
  expect(tokens.issued).toBe(1);
  const asked = server.received[0];
  expect(asked?.headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded\b/);
  expect(asked?.headers).not.toHaveProperty("authorization");
  expect(Object.fromEntries(new URLSearchParams(asked?.text))).toEqual({
    grant_type: "client_credentials",
    client_id: "cli_1",
    client_secret: "pds_s+ec/ret",
  });
});

test("a token is renewed before it ends", async () => {
  const tokens = issuer(0);
  const server = await serverWith(tokens.script);
  const postdate = server.client(asClient);
  await get(postdate);
  await get(postdate);
  expect(credentials(server.received)).toEqual(["Bearer token-1", "Bearer token-2"]);
});

test("a token that is refused is replaced once for all callers", async () => {
  const tokens = issuer();
  const server = await serverWith(tokens.script);
  const postdate = server.client(asClient);
  await get(postdate);
  tokens.revoked.add("token-1");
  await Promise.all(Array.from({ length: 5 }, () => get(postdate)));
  expect(tokens.issued).toBe(2);
});

test("a second refusal is told, for changes too", async () => {
  const tokens = issuer();
  for (let number = 1; number < 10; number++) tokens.revoked.add(`token-${number}`);
  const server = await serverWith(tokens.script);
  const removal = server.client(asClient).targets.remove("t");
  await expect(removal).rejects.toMatchObject({ status: 401, code: "E-DI-2001" });
  expect(tokens.issued).toBe(2);
  expect(credentials(server.received)).toHaveLength(2);
});

test("a wrong secret is told in the words of the server", async () => {
  const server = await serverWith(
    answer(401, { error: "invalid_client", error_description: "Check the secret." }),
  );
  const error = await get(server.client(asClient)).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    code: "invalid_client",
    status: 401,
    message: "invalid_client: Check the secret.",
  });
  expect(server.received).toHaveLength(1);
});

test("one caller's deadline does not end the renewal that others wait for", async () => {
  const tokens = issuer();
  let letGo: (() => void) | undefined;
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const server = await serverWith(async (request, response) => {
    await isHeld;
    await tokens.script(request, response);
  }, tokens.script);
  const postdate = server.client(asClient);
  const brief = postdate.messages.get("m", { timeoutMs: 1 });
  const patient = get(postdate);
  await expect(brief).rejects.toBeInstanceOf(TimeoutError);
  letGo?.();
  expect(await patient).toMatchObject({ messageId: "m" });
  expect(tokens.issued).toBe(1);
});

test("a token endpoint that is overloaded is asked again", async () => {
  const tokens = issuer();
  const busy = answer(503, { error: "temporarily_unavailable", error_description: "Wait." });
  const server = await serverWith(busy, tokens.script);
  expect(await get(server.client(asClient))).toMatchObject({ messageId: "m" });
});

test("a token endpoint that stays overloaded is asked as often as the call may try", async () => {
  const busy = answer(503, { error: "temporarily_unavailable", error_description: "Wait." });
  const server = await serverWith(busy);
  const outcome = get(server.client(asClient));
  await expect(outcome).rejects.toMatchObject({ code: "temporarily_unavailable" });
  expect(server.received).toHaveLength(6);
});

test("a change is not lost with the token that it needs, and has not taken effect without", async () => {
  const tokens = issuer();
  const create = (postdate: Postdate) => postdate.targets.create({ url: "https://a.example" });
  for (const trouble of [hangUp, page(502), refusal(503, "E-DI-9002")]) {
    const server = await serverWith(trouble, tokens.script);
    await create(server.client(asClient));
    expect(server.received).toHaveLength(3);
  }
  const away = await serverWith(hangUp);
  const error: unknown = await create(away.client(asClient)).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ mayHaveTakenEffect: false });
  expect(away.received).toHaveLength(6);
});

test("a call with a longer deadline waits longer for its token", async () => {
  const tokens = issuer();
  let letGo: (() => void) | undefined;
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const server = await serverWith(async (request, response) => {
    await isHeld;
    await tokens.script(request, response);
  }, tokens.script);
  const postdate = server.client({ ...asClient, timeoutMs: 1 });
  const brief = get(postdate);
  const patient = postdate.messages.get("m", { timeoutMs: 100_000 });
  await expect(brief).rejects.toBeInstanceOf(TimeoutError);
  letGo?.();
  expect(await patient).toMatchObject({ messageId: "m" });
});

test("a request for a token that hangs does not hold up later calls", async () => {
  const tokens = issuer();
  let closed: (() => void) | undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const hanging: Script = (_, response) => response.once("close", closed!);
  const server = await serverWith(hanging, tokens.script);
  const postdate = server.client(asClient);
  const controller = new AbortController();
  const first = postdate.messages.get("m", { signal: controller.signal });
  await server.arrived(1);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await get(postdate)).toMatchObject({ messageId: "m" });
  controller.abort("left");
  await expect(first).rejects.toBe("left");
  await isClosed;
});

test("an API key that is refused is not sent again", async () => {
  const server = await serverWith(refusal(401, "E-DI-2001"));
  await expect(get(server.client())).rejects.toMatchObject({ status: 401 });
  expect(server.received).toHaveLength(1);
});
