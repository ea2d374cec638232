import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Subject } from "./subject.ts";

interface HalfSent {
  /** Sends the rest and returns the status. */
  finish(): Promise<number>;
}

/** The service checks the credential again when a body has arrived slowly. */
export function lateBodiesSuite(subject: Subject): void {
  const { service } = subject;

  async function halfSend(path: string, key: string, body: object): Promise<HalfSent> {
    const { hostname, port } = new URL(service.server.url);
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n` +
        `Expect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
    );
    // The server asks for the body only after it has checked the head.
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 100 /);
    socket.write(text.slice(0, 5));
    return {
      async finish() {
        socket.write(text.slice(5));
        const [answer] = (await once(socket, "data")) as [Buffer];
        socket.destroy();
        return Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString())?.[1]);
      },
    };
  }

  const attempts = (key: string) =>
    Promise.all([
      halfSend("/v1/keys", key, { name: "evil", scopes: ["scheduler.all.readwrite"] }),
      halfSend("/v1/clients", key, { name: "evil", scopes: ["scheduler.all.readwrite"] }),
      halfSend("/v1/targets", key, { targetId: "evil", url: service.receiver.url }),
      halfSend("/v1/messages", key, {
        targetId: "t",
        deliveryTime: "2999-01-01T00:00:00Z",
        payload: "evil",
      }),
    ]);
  const finishAll = (sent: readonly HalfSent[]) => Promise.all(sent.map((each) => each.finish()));

  async function tenantWithTarget() {
    const tenant = await subject.account();
    const body = { targetId: "t", url: service.receiver.url };
    await service.ok("POST", "/v1/targets", { key: tenant.key, body });
    return tenant;
  }

  async function expectNothingMade(key: string): Promise<void> {
    for (const path of ["/v1/keys", "/v1/clients", "/v1/targets"]) {
      expect((await service.api("GET", path, { key })).text).not.toContain("evil");
    }
    const list = await service.ok("GET", "/v1/targets/t/scheduled-messages", { key });
    expect(list.count).toBe(0);
  }

  test("a call has no effect if its key is revoked while the body arrives", async () => {
    const { key } = await tenantWithTarget();
    const body = { name: "short", scopes: ["scheduler.all.readwrite"] };
    const made = await service.ok("POST", "/v1/keys", { key, body });
    const sent = await attempts(made.key);
    await service.ok("DELETE", `/v1/keys/${made.keyId}`, { key });
    expect(await finishAll(sent)).toEqual([401, 401, 401, 401]);
    await expectNothingMade(key);
  });

  test("a call has no effect if its account is suspended while the body arrives", async () => {
    const { accountId, key } = await tenantWithTarget();
    const sent = await attempts(key);
    await subject.manage("POST", `/v1/accounts/${accountId}/suspend`);
    expect(await finishAll(sent)).toEqual([403, 403, 403, 403]);
    await subject.manage("POST", `/v1/accounts/${accountId}/resume`);
    await expectNothingMade(key);
  });

  test("a call with a valid credential succeeds", async () => {
    const { key } = await tenantWithTarget();
    expect(await finishAll(await attempts(key))).toEqual([200, 200, 200, 200]);
  });
}
