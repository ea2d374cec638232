import type { IncomingMessage } from "node:http";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** Uses the caller's id if it is well-formed. Otherwise makes one of an id of this process and a counter. */
export function createRequestIds(random: Random): (request: IncomingMessage) => string {
  const process = encodeBase32(random.bytes(8));
  let count = 0;
  return (request) => {
    const given = request.headers["x-request-id"];
    if (typeof given === "string" && sane.test(given)) return given;
    return `req_${process}_${(++count).toString(36)}`;
  };
}
