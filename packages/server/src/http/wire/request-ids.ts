import type { IncomingMessage } from "node:http";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id where it is sane, otherwise one of ours: this process and a count. */
export function createRequestIds(random: Random): (request: IncomingMessage) => string {
  const process = encodeBase32(random.bytes(8));
  let count = 0;
  return (request) => {
    const given = request.headers["x-request-id"];
    if (typeof given === "string" && sane.test(given)) return given;
    return `req_${process}_${(++count).toString(36)}`;
  };
}
