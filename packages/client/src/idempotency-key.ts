import { checkText } from "./call-options.ts";

let ownKeys = "";
let keysMade = 0;

/**
 * Made once for each call, so that all its tries share it. The random part is made once for the program,
 * when it is first needed: Workers refuse it earlier, and pages without TLS have no `randomUUID`.
 */
export function keyFrom(given: string | undefined): string {
  if (given !== undefined) return checkText("idempotencyKey", given, 255);
  ownKeys ||= crypto.getRandomValues(new BigUint64Array(2)).join("-");
  return `${ownKeys}-${++keysMade}`;
}
