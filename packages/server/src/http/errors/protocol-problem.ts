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
const unknownExpectation: Problem = {
  code: codes.invalidRequest,
  message: "Leave the Expect header out, or send Expect: 100-continue.",
  field: "Expect",
};
const knownExpectations = /^100-continue(?: *, *100-continue)*$/i;

/**
 * Finds what HTTP tells a server to refuse, but Node.js accepts (RFC 9112, sections 2.3 and 3.2), and
 * expectations that this server cannot meet (RFC 9110, section 10.1.1). HTTP/1.0 has no expectations.
 */
export function protocolProblem(request: IncomingMessage): Problem | undefined {
  const { httpVersion, rawHeaders } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return oldProtocol;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return manyHosts;
  if (httpVersion === "1.0") return undefined;
  if (hosts === 0) return noHost;
  const { expect } = request.headers;
  return expect === undefined || knownExpectations.test(expect) ? undefined : unknownExpectation;
}
