import { fastify } from "fastify";
import type { onRequestHookHandler } from "fastify";
import { expect, test } from "vitest";
import { guardRoutes } from "./route-access.ts";
import type { Guarded } from "./route-access.ts";

/** Refuses with its own name, so that a test can tell which guard ran. */
const refuseAs =
  (name: Guarded): onRequestHookHandler =>
  (_request, reply) =>
    void reply.code(403).send(name);

function openApp() {
  const app = fastify();
  guardRoutes(app, {
    readMessages: refuseAs("readMessages"),
    writeMessages: refuseAs("writeMessages"),
    readAll: refuseAs("readAll"),
    writeAll: refuseAs("writeAll"),
    operator: refuseAs("operator"),
    session: refuseAs("session"),
    signIn: refuseAs("signIn"),
    signOut: refuseAs("signOut"),
  });
  return app;
}

const answer = async () => "let in";

test("a route has the guard that it declares, for GET and for HEAD", async () => {
  const app = openApp();
  app.get("/v1/mine", { config: { access: "readAll" } }, answer);
  app.post("/v1/theirs", { config: { access: "operator" } }, answer);
  app.get("/open", { config: { access: "anyone" } }, answer);
  expect((await app.inject("/v1/mine")).body).toBe("readAll");
  expect((await app.inject({ method: "HEAD", url: "/v1/mine" })).statusCode).toBe(403);
  expect((await app.inject({ method: "POST", url: "/v1/theirs" })).body).toBe("operator");
  expect((await app.inject("/open")).body).toBe("let in");
  await app.close();
});

test("the server does not start if a route declares no access, or has a path that does not fit it", async () => {
  const app = openApp();
  expect(() => app.get("/v1/forgotten", answer)).toThrow("GET /v1/forgotten must say");
  const open = { config: { access: "anyone" } } as const;
  expect(() => app.get("/v1/open", open, answer)).toThrow("below /v1/");
  const guarded = { config: { access: "readAll" } } as const;
  expect(() => app.get("/elsewhere", guarded, answer)).toThrow("below /v1/");
  app.register(async (inner) => void inner.get("/v1/inner", answer));
  await expect(app.ready()).rejects.toThrow("GET /v1/inner must say");
});
