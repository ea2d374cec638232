import { expect, test } from "vitest";
import { openTerminal } from "../testing/command-line.ts";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage } from "../testing/samples.ts";

const message = wireMessage();

test.each<[number, unknown, number, string]>([
  [
    400,
    {
      errors: [
        { code: "E-DI-1001", message: "Bad", field: "deliveryTime" },
        { code: "E-DI-5002", message: "Long" },
      ],
    },
    1,
    "E-DI-1001: Bad (deliveryTime)\nE-DI-5002: Long\n",
  ],
  [400, { errors: [{ code: "E-DI-5001", message: "No message" }] }, 4, "E-DI-5001: No message\n"],
  [404, { errors: [{ code: "E-DI-3004", message: "No target" }] }, 4, "E-DI-3004: No target\n"],
  [
    404,
    { errors: [{ code: "E-DI-1003", message: "No such key." }] },
    4,
    "E-DI-1003: No such key.\n",
  ],
  [
    401,
    { errors: [{ code: "E-DI-2001", message: "No" }] },
    1,
    "E-DI-2001: No\nCheck the key in --key or POSTDATE_KEY.\n",
  ],
  [404, undefined, 4, `There is no message ${messageId}.\n`],
])("an answer of %d %j ends with exit code %d", async (status, json, exitCode, stderr) => {
  const terminal = await connected(() => ({ status, json }));
  expect(await terminal.run("get", messageId)).toBe(exitCode);
  expect(terminal.stderr.text).toBe(stderr);
  expect(terminal.stdout.text).toBe("");
});

test("another program at the address, or none, is reported", async () => {
  const terminal = await connected(() => ({ status: 502, text: "<html>Bad gateway</html>" }));
  expect(await terminal.run("get", messageId)).toBe(3);
  expect(terminal.stderr.text).toContain("not from Postdate");
  await terminal.closeService();
  const url = terminal.surroundings.env["POSTDATE_URL"];
  expect(await terminal.run("get", messageId)).toBe(3);
  expect(terminal.stderr.text).toContain(`Cannot reach ${url}: nothing listens there.`);
});

test("flags override the environment, and the root key replaces a missing key", async () => {
  const terminal = await connected(() => ({ json: message }));
  const { POSTDATE_URL: url } = terminal.surroundings.env;
  const away = openTerminal({
    env: { POSTDATE_URL: "http://127.0.0.1:1", POSTDATE_ROOT_KEY: "pd_root" },
  });
  expect(await away.run("get", messageId, "--url", `${url}/`)).toBe(0);
  expect(await away.run("get", messageId, "--url", url!, "--key", "pd_flag")).toBe(0);
  expect(terminal.asked.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer pd_root",
    "Bearer pd_flag",
  ]);
});

test("no key, two keys or a wrong address are usage errors", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("get", messageId)).toBe(2);
  expect(terminal.stderr.text).toContain("POSTDATE_KEY");
  expect(await terminal.run("get", messageId, "--key", "x", "--url", "localhost:7070")).toBe(2);
  expect(await terminal.run("get", "..", "--key", "x")).toBe(2);
  for (const url of ["http://me:secret@127.0.0.1", "http://127.0.0.1/?a=secret", "http://a/#b"]) {
    expect(await terminal.run("get", messageId, "--key", "x", "--url", url)).toBe(2);
  }
  expect(terminal.stderr.text).toContain("--url must have no user name, no password");
  expect(terminal.stderr.text).not.toContain("secret");
  const both = openTerminal({ env: { POSTDATE_KEY: "a", POSTDATE_KEY_FILE: "b" } });
  expect(await both.run("get", messageId)).toBe(2);
});
