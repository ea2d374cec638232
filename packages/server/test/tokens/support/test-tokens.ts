import { decodeProtectedHeader } from "jose";
import { auditNote, theService } from "../../../src/operations/audit/audit-note.ts";
import { systemRandom } from "../../../src/platform/random.ts";
import { createSecretBox } from "../../../src/platform/keyring.ts";
import type { SecretBox } from "../../../src/platform/secret-box.ts";
import { systemTimers } from "../../../src/platform/timers.ts";
import type { AccessTokens, NoteOf } from "../../../src/tokens/access-tokens.ts";
import { createAccessTokens } from "../../../src/tokens/jwt/create-access-tokens.ts";
import type { AccessTokensOptions } from "../../../src/tokens/jwt/create-access-tokens.ts";
import { openClockedStore } from "./clocked-store.ts";
import type { ClockedStore } from "./clocked-store.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const startTime = Date.UTC(2026, 0, 1);

export const noteOf: NoteOf = (action, subjectId) =>
  auditNote(systemRandom, theService, { action, accountId: null, subjectId });

export const grant = {
  accountId: "acc_one",
  clientId: "cli_4t9w2m7q1x8c5v3b6n0z",
  scopes: ["scheduler.messages.read", "scheduler.messages.readwrite"],
} as const;

export interface TokensUnderTest extends ClockedStore {
  readonly secretBox: SecretBox;
  readonly tokens: AccessTokens;
  /** Another node on the same store. */
  another(change?: Partial<AccessTokensOptions>): AccessTokens;
}

/** Access tokens over a real store whose clock is moved by hand. */
export function openTokens(change: Partial<AccessTokensOptions> = {}): TokensUnderTest {
  const clocked = openClockedStore(startTime);
  const secretBox = createSecretBox(systemRandom.bytes(32), systemRandom);
  const another = (changed: Partial<AccessTokensOptions> = {}): AccessTokens =>
    createAccessTokens({
      store: clocked.store,
      secretBox,
      random: systemRandom,
      clock: clocked.clock,
      timers: systemTimers,
      rememberMs: 500,
      noteOf,
      issuer: () => "https://postdate.example",
      publicUrl: "https://postdate.example",
      tokenLifetimeMs: hour,
      signingKeyRotationMs: 30 * day,
      trustedIssuers: [],
      ...change,
      ...changed,
    });
  return { ...clocked, secretBox, tokens: another(), another };
}

export async function issued(tokens: AccessTokens): Promise<string> {
  return (await tokens.issue(grant)).token;
}

export function keyIdOf(token: string): string | undefined {
  return decodeProtectedHeader(token).kid;
}
