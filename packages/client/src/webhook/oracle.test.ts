import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VerificationError } from "./verification-error.ts";
import { verify } from "./verify.ts";

/** `standardwebhooks` is what everybody else verifies with. It reads the time by itself. */
const now = 1_794_648_600_500;
beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString("base64")}`);
const messageIds = fc.stringMatching(/^[\w-]{1,40}$/);
const payloads = fc.string({ unit: "binary", maxLength: 300 });
const ages = fc.oneof(
  fc.integer({ min: -310, max: 310 }),
  fc.constantFrom(-301, -300, -1, 0, 1, 300, 301),
);

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function weAccept({ headers, body }: Sent, secret: string): Promise<boolean> {
  try {
    const { payload, messageId } = await verify({ headers, body }, { secret });
    expect({ payload, messageId }).toEqual({ payload: body, messageId: headers["webhook-id"] });
    return true;
  } catch (error) {
    if (error instanceof VerificationError) return false;
    throw error;
  }
}

function theyAccept({ headers, body }: Sent, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

const sent = fc
  .record({
    body: payloads,
    messageId: messageIds,
    ageSeconds: ages,
    signers: fc.array(secrets, { minLength: 1, maxLength: 3 }),
  })
  .map(({ body, messageId, ageSeconds, signers }) => {
    const at = new Date((Math.floor(now / 1_000) - ageSeconds) * 1_000);
    const signatures = signers.map((each) => new Webhook(each).sign(messageId, at, body));
    const headers = {
      "webhook-id": messageId,
      "webhook-timestamp": String(at.getTime() / 1_000),
      "webhook-signature": signatures.join(" "),
    };
    return { headers, body, signers };
  });

test("what the reference signs in time, we accept with each signer's secret and with no other", async () => {
  await fc.assert(
    fc.asyncProperty(sent, secrets, async ({ signers, ...request }, stranger) => {
      for (const secret of [...signers, stranger])
        expect(await weAccept(request, secret)).toBe(theyAccept(request, secret));
    }),
  );
});

type Part = "body" | "webhook-id" | "webhook-timestamp" | "webhook-signature";

/** Changes one character of what is sent, or drops it. */
function damaged({ headers, body }: Sent, part: Part, place: number, character: string): Sent {
  const change = (text: string): string => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + character + text.slice(at + 1);
  };
  if (part === "body") return { headers, body: change(body).toWellFormed() };
  return { headers: { ...headers, [part]: change(headers[part]!) }, body };
}

test("whatever is damaged on the way, we accept nothing that the reference refuses", async () => {
  await fc.assert(
    fc.asyncProperty(
      sent,
      fc.constantFrom<Part>("body", "webhook-id", "webhook-timestamp", "webhook-signature"),
      fc.nat(500),
      fc.constantFrom("", "0", "a", ",", "=", " ", "😀"),
      async ({ signers, ...request }, part, place, character) => {
        const received = damaged(request, part, place, character);
        const secret = signers[0]!;
        if (await weAccept(received, secret)) expect(theyAccept(received, secret)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
