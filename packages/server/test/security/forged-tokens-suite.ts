import { createPublicKey, generateKeyPairSync, KeyObject } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import { beforeAll, describe, test } from "vitest";
import { makeDoor } from "./door.ts";
import { ecdsa, encodePart, forgeToken, hmac, plainSignature, unsigned } from "./forge-token.ts";
import type { Signer } from "./forge-token.ts";
import { createClient, ownToken } from "./oauth-client.ts";
import type { Subject } from "./subject.ts";

/** What a forger starts from: the parts of a valid token, and the key that signs such tokens. */
interface Material {
  readonly token: string;
  readonly header: object;
  readonly claims: object;
  readonly publicKey: KeyObject;
  readonly publicJwk: JsonWebKey;
}
type Forgery = readonly [what: string, forge: (from: Material) => string];

const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const foreignP384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
const foreignRsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const foreignEd25519 = generateKeyPairSync("ed25519").privateKey;

const partsOf = (token: string): [string, string, string] =>
  token.split(".") as [string, string, string];
const withParts = ({ token }: Material, change: (...parts: [string, string, string]) => string) =>
  change(...partsOf(token));
const flipped = (part: string): string => (part.startsWith("A") ? "B" : "A") + part.slice(1);

const malformed: readonly Forgery[] = [
  ["a part that is not base64url", (m) => withParts(m, (h, c, s) => `${h}.${c}+/.${s}`)],
  ["padding", ({ token }) => `${token}=`],
  ["two parts", (m) => withParts(m, (h, c) => `${h}.${c}`)],
  ["four parts", (m) => withParts(m, (h, c, s) => `${h}.${c}.${s}.${s}`)],
  ["five parts, like an encrypted token", (m) => withParts(m, (h, c, s) => `${h}..${c}.${c}.${s}`)],
  ["dots alone", () => ".."],
  ["an empty header", (m) => withParts(m, (_, c, s) => `.${c}.${s}`)],
  ["empty claims", (m) => withParts(m, (h, _, s) => `${h}..${s}`)],
  ["an empty signature", (m) => withParts(m, (h, c) => `${h}.${c}.`)],
  ["a signature cut off", ({ token }) => token.slice(0, -4)],
  ["a signature with one bit flipped", (m) => withParts(m, (h, c, s) => `${h}.${c}.${flipped(s)}`)],
  ["a signature of zeros", (m) => forgeToken(m.header, m.claims, () => Buffer.alloc(64))],
  ["a header edited", oldSignature({ x: 1 })],
  [
    "claims edited under the old signature",
    (m) => withParts(m, (h, _, s) => `${h}.${encodePart({ ...m.claims, jti: "another" })}.${s}`),
  ],
];

const algorithms: readonly Forgery[] = [
  ...["none", "None", "NONE", "nOnE", ""].flatMap((alg): Forgery[] => [
    [`alg ${alg || "empty"} without a signature`, signedAs({ alg }, () => unsigned)],
    [`alg ${alg || "empty"} with the old one`, oldSignature({ alg })],
  ]),
  ["no alg", oldSignature({ alg: undefined })],
  ["alg in lower case", oldSignature({ alg: "es256" })],
  ["alg as a list", oldSignature({ alg: ["ES256"] })],
  ...(["256", "384", "512"] as const).flatMap((bits): Forgery[] => {
    const signedBy = (secretOf: (from: Material) => string | Buffer) =>
      signedAs({ alg: `HS${bits}` }, (from) => hmac(secretOf(from), `sha${bits}`));
    return [
      [`HS${bits} with the public key as PEM`, signedBy((from) => asPem(from.publicKey))],
      [`HS${bits} with the PEM trimmed`, signedBy((from) => asPem(from.publicKey).trim())],
      [`HS${bits} with the public key as DER`, signedBy((from) => asDer(from.publicKey))],
      [`HS${bits} with the public key as JWK`, signedBy((from) => JSON.stringify(from.publicJwk))],
      [`HS${bits} with the x of the key`, signedBy((from) => from.publicJwk.x ?? "")],
      [`HS${bits} with an empty secret`, signedBy(() => "")],
    ];
  }),
  ["ES256 with a foreign key", signedAs({}, () => ecdsa(foreign))],
  ["ES384 with a foreign key", signedAs({ alg: "ES384" }, () => ecdsa(foreignP384, "sha384"))],
  [
    "RS256 with a foreign key",
    signedAs({ alg: "RS256" }, () => plainSignature(foreignRsa, "sha256")),
  ],
  [
    "EdDSA with a foreign key",
    signedAs({ alg: "EdDSA" }, () => plainSignature(foreignEd25519, null)),
  ],
];

/** Tokens that no key of the issuer signed, or that the right key signed with wrong content. */
export function forgedTokensSuite(subject: Subject): void {
  const { expectOpens, expectShut } = makeDoor(subject);
  const material = {} as Record<"own" | "trusted", Material>;

  beforeAll(async () => {
    const own = await ownToken(subject, await createClient(subject));
    const { keys } = await subject.service.ok("GET", "/.well-known/jwks.json");
    const { kid } = headerOf(own);
    material.own = materialOf(
      own,
      keys.find((key: { kid: string }) => key.kid === kid),
    );
    material.trusted = materialOf(await subject.issuer.token(), subject.issuer.publicJwk);
  });

  describe.each(["own", "trusted"] as const)("a token of the %s issuer", (whose) => {
    test("is valid unchanged", () => expectOpens(material[whose].token));

    // These run concurrently, because a token with an algorithm that no key has waits for the newest keys.
    test.concurrent.each([...malformed, ...algorithms])("%s", async (_, forge) => {
      await expectShut(forge(material[whose]));
    });
  });

  /** Correctly signed by the issuer, but not valid tokens. */
  describe("well signed", () => {
    test.each<[string, (from: Material) => [header: unknown, claims: unknown]]>([
      ["a header that is no JSON", ({ claims }) => ["{", claims]],
      ["a header that is a list", ({ header, claims }) => [[header], claims]],
      ["a header that is null", ({ claims }) => ["null", claims]],
      ["claims that are no JSON", ({ header }) => [header, "{"]],
      ["claims that are a list", ({ header, claims }) => [header, [claims]]],
      ["claims that are a text", ({ header }) => [header, '"acc_default"']],
      ["claims that are null", ({ header }) => [header, "null"]],
      ["claims in another encoding", ({ header, claims }) => [header, inUtf16(claims)]],
      ["9 kB", ({ header, claims }) => [header, { ...claims, more: "x".repeat(9_000) }]],
      [
        "crit with an unknown name",
        ({ header, claims }) => [{ ...header, crit: ["x"], x: 1 }, claims],
      ],
      ["crit with a claim", ({ header, claims }) => [{ ...header, crit: ["exp"], exp: 1 }, claims]],
      ["crit that is empty", ({ header, claims }) => [{ ...header, crit: [] }, claims]],
      ["crit that is no list", ({ header, claims }) => [{ ...header, crit: "x", x: 1 }, claims]],
      ["b64 false", ({ header, claims }) => [{ ...header, crit: ["b64"], b64: false }, claims]],
      ...["logout+jwt", "secevent+jwt", "dpop+jwt", "id+jwt", "JWE", "at+jwt, JWT", ""].map(
        (typ): [string, (from: Material) => [unknown, unknown]] => [
          `typ ${typ || "empty"}`,
          ({ header, claims }) => [{ ...header, typ }, claims],
        ],
      ),
    ])("%s", async (_, partsFrom) => {
      const [header, claims] = partsFrom(material.trusted);
      const signer = ecdsa(KeyObject.from(subject.issuer.privateKey));
      await expectShut(forgeToken(header, claims, signer));
    });

    test.each(["JWT", "jwt", "at+jwt", "application/at+jwt", undefined])(
      "typ %s is accepted",
      async (typ) => {
        const { header, claims } = material.trusted;
        const signer = ecdsa(KeyObject.from(subject.issuer.privateKey));
        await expectOpens(forgeToken({ ...header, typ }, claims, signer));
      },
    );
  });
}

function signedAs(change: object, signerFor: (from: Material) => Signer): Forgery[1] {
  return (from) => forgeToken({ ...from.header, ...change }, from.claims, signerFor(from));
}

function oldSignature(change: object): Forgery[1] {
  return (from) =>
    withParts(from, (_, claims, signature) => {
      return `${encodePart({ ...from.header, ...change })}.${claims}.${signature}`;
    });
}

function headerOf(token: string): { readonly kid?: string } {
  return JSON.parse(Buffer.from(partsOf(token)[0], "base64url").toString());
}

function materialOf(token: string, publicJwk: JsonWebKey): Material {
  const claims = JSON.parse(Buffer.from(partsOf(token)[1], "base64url").toString());
  const publicKey = createPublicKey({ key: publicJwk, format: "jwk" });
  return { token, header: headerOf(token), claims, publicKey, publicJwk };
}

const asPem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const asDer = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const inUtf16 = (claims: object): Uint8Array => Buffer.from(JSON.stringify(claims), "utf16le");
