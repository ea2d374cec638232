import { isIP } from "node:net";
import type { TrustedIssuer } from "../domain/trusted-issuer.ts";
import { InvalidValue } from "./invalid-value.ts";
import type { KindOfValue } from "./kinds-of-value.ts";

/** Only asymmetric algorithms: with these, a party that can verify a token cannot make one. */
const knownAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;
const usualAlgorithms = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

const fields = ["issuer", "audience", "accountClaim", "scopeClaim", "jwksUri", "algorithms"];
const example =
  '[{"issuer": "https://login.example.com/", "audience": "postdate", "accountClaim": "postdate_account"}]';

export const trustedIssuers: KindOfValue<readonly TrustedIssuer[]> = {
  placeholder: "json",
  accepts: `a JSON list such as \`${example}\``,
  read(given) {
    const list = parse(given);
    if (!Array.isArray(list)) throw new InvalidValue(`must be a JSON list such as ${example}`);
    const issuers = list.map(readIssuer);
    const names = issuers.map(({ issuer }) => issuer);
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) throw new InvalidValue(`names the issuer ${repeated} twice`);
    return issuers;
  },
};

function parse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw new InvalidValue(`must be JSON such as ${example}`);
  }
}

function readIssuer(entry: unknown, index: number): TrustedIssuer {
  const where = `has a mistake in entry ${index + 1}`;
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw new InvalidValue(`${where}: it must be an object such as those of ${example}`);
  }
  const given = entry as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    throw new InvalidValue(`${where}: there is no "${unknown}"; known are ${fields.join(", ")}`);
  }
  const text = (name: string, byDefault?: string): string => {
    const value = given[name] ?? byDefault;
    if (typeof value !== "string" || value === "") {
      throw new InvalidValue(`${where}: "${name}" must be text and not empty`);
    }
    return value;
  };
  const address = (name: string): string => {
    const value = text(name);
    if (!isSafeAddress(value)) {
      throw new InvalidValue(
        `${where}: "${name}" must be an https address (http on loopback only)`,
      );
    }
    return value;
  };
  const algorithms = given["algorithms"] ?? usualAlgorithms;
  const known: readonly unknown[] = knownAlgorithms;
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    algorithms.some((name) => !known.includes(name))
  ) {
    throw new InvalidValue(
      `${where}: "algorithms" must be a list of some of ${knownAlgorithms.join(", ")}`,
    );
  }
  return {
    issuer: address("issuer"),
    audience: text("audience"),
    accountClaim: text("accountClaim", "postdate_account"),
    scopeClaim: text("scopeClaim", "scope"),
    jwksUri: given["jwksUri"] === undefined ? null : address("jwksUri"),
    algorithms: algorithms as string[],
  };
}

/** Anybody on the network could replace keys that are sent without encryption. Loopback is exempt. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.hash !== "") return false;
  if (url.protocol === "https:") return true;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const loopback =
    host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  return url.protocol === "http:" && loopback;
}
