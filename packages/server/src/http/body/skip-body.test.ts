import { afterEach, describe, expect, test } from "vitest";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";

/** The tests for strangers are in `load/hostile-connections.test.ts`. */
const kilobyte = 1_024;
const megabyte = kilobyte * kilobyte;
const chunked = { "transfer-encoding": "chunked" };
const chunk = `10000\r\n${" ".repeat(64 * kilobyte)}\r\n`;
const last = head("GET", "/healthz", { connection: "close" });

let api: TestApi;
let connection: RawConnection;
afterEach(async () => {
  connection.socket.destroy();
  api.app.server.closeAllConnections();
  await api.close();
});

async function begin(path: string, headers: object): Promise<void> {
  api = await openTestApi();
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  connection = await connectRaw(api.app);
  const type = { "content-type": "application/json" };
  connection.send(
    head("POST", path, { ...type, ...headers, authorization: `Bearer ${api.rootKey}` }),
  );
}

describe("the rest of a refused body of a known caller is read, up to a bound", () => {
  /** Only the operator manages accounts. A caller is let in, and refused before its body is read. */
  async function sendOn(headers: object, rest: string): Promise<string[] | null> {
    await begin("/v1/accounts", headers);
    await connection.received(/HTTP\/1.1 403 [^]*\r\n\r\n\{/);
    connection.send(rest + last);
    return (await connection.closed).match(/(?<=HTTP\/1.1 )\d+/g);
  }

  test.each([
    ["all of the longest that there is", 16, ["403", "200"]],
    ["no more than that", 20, ["403"]],
  ])("of what was announced, %s", async (_name, megabytes, statuses) => {
    const length = megabytes * megabyte;
    expect(await sendOn({ "content-length": length }, " ".repeat(length))).toEqual(statuses);
  });

  test.each([
    ["half a megabyte", 8, ["403", "200"]],
    ["but not two", 32, ["403"]],
  ])("of what comes in chunks, %s", async (_name, chunks, statuses) => {
    expect(await sendOn(chunked, `${chunk.repeat(chunks)}0\r\n\r\n`)).toEqual(statuses);
  });
});

describe("the rest of a body that is too large is read before the answer, up to a bound", () => {
  const answer = () => connection.received(/\r\n\r\n\{/);

  test("of its bytes", async () => {
    await begin("/v1/keys", { "content-length": 64 * megabyte });
    connection.send(" ".repeat(16 * megabyte + 1));
    expect(await answer()).toMatch(/^HTTP\/1.1 413 /);
  });

  test("of its tiny pieces", async () => {
    await begin("/v1/keys", chunked);
    connection.send(chunk + "1\r\n \r\n".repeat(1_100));
    expect(await answer()).toMatch(/^HTTP\/1.1 413 /);
  });
});
