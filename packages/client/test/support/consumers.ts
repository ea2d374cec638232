/** Programs that others may write. Each prints what it has verified. */

const signed = `
const secret = "whsec_" + btoa("0123456789abcdef0123456789abcdef");
const timestamp = String(Math.floor(Date.now() / 1000));
const algorithm = { name: "HMAC", hash: "SHA-256" };
const text = new TextEncoder();
const key = await crypto.subtle.importKey(
  "raw", text.encode("0123456789abcdef0123456789abcdef"), algorithm, false, ["sign"],
);
const signature = await crypto.subtle.sign("HMAC", key, text.encode("msg_1." + timestamp + ".hello"));
const headers = {
  "webhook-id": "msg_1",
  "webhook-timestamp": timestamp,
  "webhook-signature": "v1," + btoa(String.fromCharCode(...new Uint8Array(signature))),
};
`;

const withWebRequests = `
import { receive, Reject, verify, VerificationError } from "@postdate/client/webhook";
import type { Webhook } from "@postdate/client/webhook";
${signed}
const request = () => new Request("https://example.com/hook", { method: "POST", headers, body: "hello" });
const POST: (request: Request) => Promise<Response> = receive({ secret }, async (webhook: Webhook) => {
  if (webhook.payload !== "hello") throw new Reject("not hello");
});
if ((await POST(request())).status !== 204) throw new Error("not received");
const { payload } = await verify(request(), { secret: [secret, undefined] });
try {
  await verify({ headers, body: "changed" }, { secret });
} catch (error) {
  if (!(error instanceof VerificationError && error.reason === "no-match")) throw error;
  console.log("verified: " + payload);
}
`;

const withNode = `
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PostdateError } from "@postdate/client";
import { nodeReceiver, RetryLater } from "@postdate/client/node";
import { RetryLater as Same, VerificationError } from "@postdate/client/webhook";
${signed}
if (RetryLater !== Same) throw new Error("one class twice");
const error: unknown = new VerificationError("no-match", "");
if (!(error instanceof PostdateError)) throw new Error("another class");
const server = createServer(nodeReceiver({ secret }, ({ payload }) => console.log("verified: " + payload)));
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  await fetch("http://127.0.0.1:" + port, { method: "POST", headers, body: "hello" });
  server.close();
});
`;

/** A browser's or a Worker's types: none of Node.js. */
const web = { target: "es2022", lib: ["es2022", "dom", "dom.iterable"], types: [] };

export const consumers = [
  {
    name: "verifies Web requests, with a bundler's types",
    file: "bundled.ts",
    source: withWebRequests,
    compilerOptions: { ...web, module: "esnext", moduleResolution: "bundler" },
  },
  {
    name: "verifies Web requests, with the types of Node.js's own resolution",
    file: "resolved.ts",
    source: withWebRequests,
    compilerOptions: { ...web, module: "nodenext" },
  },
  {
    name: "receives with node:http",
    file: "received.ts",
    source: withNode,
    compilerOptions: {
      target: "es2022",
      lib: ["es2022"],
      module: "nodenext",
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [new URL("../../../../node_modules/@types", import.meta.url).pathname],
    },
  },
];
