import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt } from "../../src/domain/attempt.ts";
import { defaultAccountId } from "../../src/domain/access.ts";
import type { Asked, Final, FinalMessage, TargetTerms } from "../history/history.ts";
import type { Api } from "./api.ts";
import { readMessage } from "./logged-calls.ts";

const patienceMs = 20_000;
const looksAtOnce = 16;

/** Reads every acknowledged message, and the others given, once all have settled or should have. */
export async function takeFinalLook(
  api: Api,
  asked: readonly Asked[],
  others: Iterable<string> = [],
): Promise<Final> {
  const ids = new Set([
    ...others,
    ...asked.flatMap((call) =>
      ("messageKey" in call || call.verb === "schedule" || call.verb === "batch item") &&
      call.answer.kind === "ok"
        ? call.answer.message.messageId
        : [],
    ),
  ]);
  const messages = new Map<string, FinalMessage | null>();
  const left = ids.values();
  const deadline = Date.now() + patienceMs;
  const look = async (): Promise<void> => {
    for (const messageId of left) messages.set(messageId, await lookAt(api, messageId, deadline));
  };
  await Promise.all(Array.from({ length: looksAtOnce }, look));
  const { body: usage } = await api("GET", "/v1/usage");
  const { month, used, limit } = usage;
  return {
    takenAt: Date.now(),
    messages,
    isComplete: false,
    usage: [{ accountId: defaultAccountId, month, used, limit }],
  };
}

async function lookAt(api: Api, messageId: string, until: number): Promise<FinalMessage | null> {
  for (;;) {
    const { status, body } = await api("GET", `/v1/messages/${messageId}`);
    if (status === 404) return null;
    if (body.state === "SCHEDULED" && Date.now() < until) {
      await sleep(20);
      continue;
    }
    const attempts = await api("GET", `/v1/messages/${messageId}/attempts`);
    const payload = await api("GET", `/v1/messages/${messageId}/payload`);
    return {
      message: readMessage(body),
      attempts: attempts.body.attempts.map(readAttempt),
      payload: payload.body.payload,
    };
  }
}

type WireAttempt = Omit<Attempt, "startTime" | "endTime"> & Record<"startTime" | "endTime", string>;

export function readAttempt(wire: WireAttempt): Attempt {
  const [startTime, endTime] = [Date.parse(wire.startTime), Date.parse(wire.endTime)];
  return { ...wire, startTime, endTime };
}

/** The settings of these targets that the judge needs, as the service reports them. */
export async function targetTerms(
  api: Api,
  targetIds: readonly string[] = ["t"],
): Promise<TargetTerms[]> {
  const terms: TargetTerms[] = [];
  for (const targetId of targetIds) {
    const { body } = await api("GET", `/v1/targets/${targetId}`);
    const { retryPolicy, timeoutMs } = body;
    terms.push({ accountId: defaultAccountId, targetId, retryPolicy, timeoutMs });
  }
  return terms;
}
