import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { networkTrouble } from "./network-trouble.ts";
import { openTerminal } from "../testing/command-line.ts";

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function answering(respond: (socket: Socket) => void): Promise<number> {
  return listening(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => respond(socket));
    }),
  );
}

async function getFrom(url: string): Promise<string> {
  const terminal = openTerminal({ env: { POSTDATE_KEY: "pd_0123456789abcdef" } });
  expect(await terminal.run("get", "msg_1", "--url", url)).toBe(3);
  expect(terminal.stdout.text).toBe("");
  expect(terminal.stderr.text).toMatch(/^Cannot reach .*\.\n$/);
  // None of the error names that only programmers know.
  expect(terminal.stderr.text).not.toMatch(/\bE[A-Z]{3,}\b|UND_ERR|getaddrinfo|fetch failed/);
  return terminal.stderr.text;
}

test("a connection that is closed instead of answered", async () => {
  const port = await answering((socket) => socket.destroy());
  expect(await getFrom(`http://127.0.0.1:${port}`)).toContain("closed before the answer came");
});

test("https to a server without TLS, and http to one that speaks something else", async () => {
  const plain = await listening(createHttpServer());
  expect(await getFrom(`https://127.0.0.1:${plain}`)).toContain("Try http://");
  const other = await answering((socket) => socket.end("220 mail.example.com ESMTP\r\n"));
  expect(await getFrom(`http://127.0.0.1:${other}`)).toContain("try https://");
});

test("a redirect is not followed, and a port that `fetch` refuses is explained", async () => {
  const redirecting = createHttpServer((_request, response) =>
    response.writeHead(301, { location: "https://example.com/" }).end(),
  );
  const port = await listening(redirecting);
  expect(await getFrom(`http://127.0.0.1:${port}`)).toContain("redirect");
  expect(await getFrom("http://127.0.0.1:1")).toContain("another protocol");
});

test.each([
  ["ENOTFOUND", "the name db.example is not known. Check how it is spelt"],
  ["EAI_AGAIN", "the name db.example cannot be looked up. Check how it is spelt, and"],
  ["EHOSTUNREACH", "there is no route to it"],
  ["ETIMEDOUT", "it does not answer"],
  ["EACCES", "this machine does not allow the connection"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "NODE_EXTRA_CA_CERTS"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "for another name"],
])("%s becomes a sentence, even deep inside other errors", (code, sentence) => {
  const cause = Object.assign(new Error(`getaddrinfo ${code}`), { code, hostname: "db.example" });
  const error = new TypeError("fetch failed", { cause: new Error("within", { cause }) });
  expect(networkTrouble(error)).toContain(sentence);
});

test("an unknown error is shown unchanged", () => {
  expect(networkTrouble(new Error("anything"))).toBeUndefined();
  expect(networkTrouble("anything")).toBeUndefined();
});

test.each([
  ["pd_…", "POSTDATE_KEY is an example from the documentation"],
  ["pd_one two", "POSTDATE_KEY holds spaces"],
])("the key %s is refused before the service is called", async (key, sentence) => {
  const terminal = openTerminal({ env: { POSTDATE_KEY: key } });
  expect(await terminal.run("get", "msg_1")).toBe(2);
  expect(terminal.stderr.text).toContain(sentence);
  expect(terminal.stderr.text).not.toContain(key);
});

test("the error names a missing key file and its variable", async () => {
  const terminal = openTerminal({ env: { POSTDATE_KEY_FILE: "/nowhere/key" } });
  expect(await terminal.run("get", "msg_1")).toBe(2);
  expect(terminal.stderr.text).toBe(
    "POSTDATE_KEY_FILE names a file that cannot be read: there is no such file (/nowhere/key)\n",
  );
});
