import dns from "node:dns";
import type { LookupAddress } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";

/** Answers as a hostile name server gives them, one after the other. The last one repeats. */
const answers: Readonly<Record<string, readonly string[][]>> = {
  "rebinding.test": [["93.184.215.14"], ["127.0.0.1"]],
  "internal.test": [["10.0.0.5"]],
  "half-internal.test": [["93.184.215.14", "169.254.169.254"]],
};
const asked = new Map<string, number>();

const systemLookup = dns.lookup;
type Callback = (error: Error | null, addresses: LookupAddress[]) => void;

/** Loaded into the tests' server process to replace the system's look-up. */
const lookup = (hostname: string, options: dns.LookupAllOptions, callback: Callback): void => {
  // The address on which the server itself listens.
  if (isIP(hostname) !== 0) return systemLookup(hostname, options, callback);
  const count = asked.get(hostname) ?? 0;
  asked.set(hostname, count + 1);
  const list = answers[hostname];
  const addresses = list?.[Math.min(count, list.length - 1)];
  queueMicrotask(() =>
    addresses === undefined
      ? callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), [])
      : callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
  );
};
Object.assign(dns, { lookup });
syncBuiltinESMExports();
