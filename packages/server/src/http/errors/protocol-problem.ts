import type { IncomingMessage } from "node:http";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

const oldProtocol: Problem = {
  code: codes.invalidRequest,
  message: "Use HTTP/1.1 or HTTP/1.0.",
};
const noHost: Problem = {
  code: codes.invalidRequest,
  message: "Send a Host header.",
  field: "Host",
};
const manyHosts: Problem = { ...noHost, message: "Send only one Host header." };

/** Finds what HTTP tells a server to refuse, but Node.js accepts (RFC 9112, sections 2.3 and 3.2). */
export function protocolProblem({ httpVersion, rawHeaders }: IncomingMessage): Problem | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return oldProtocol;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return manyHosts;
  return hosts === 0 && httpVersion === "1.1" ? noHost : undefined;
}
