import type { AttemptReport, FailureClasses } from "../../../domain/attempt.ts";
import { pause, systemTimers } from "../../../platform/timers.ts";
import type { Delivery, TargetKind } from "../../target-kind.ts";
import {
  completeMailbox,
  mergeMailbox,
  viewMailbox,
  type MailboxSettings,
} from "./mailbox-settings.ts";
import type { PostOffice } from "./post-office.ts";

const failures = {
  TIMEOUT: "retryable",
  CONNECTION_FAILED: "retryable",
  /** The mailbox refuses the letter and would refuse it again. */
  BAD_STATUS: "permanent",
} as const satisfies FailureClasses;

const longestNote = 1_024;

/**
 * A second target kind for tests, which puts messages into mailboxes in memory. It shares no setting with
 * webhooks and does not sign. Code that assumes either fails with it.
 */
export function createMailboxTarget(office: PostOffice): TargetKind<MailboxSettings> {
  const closing = new AbortController();

  async function deliver(delivery: Delivery<MailboxSettings>): Promise<AttemptReport> {
    const { settings, messageId } = delivery;
    const letter = { messageId, payload: Buffer.from(delivery.payload), pin: settings.pin };
    const ending = AbortSignal.any([closing.signal, delivery.signal]);
    const mailbox = office.find(settings.mailbox);
    if (mailbox === undefined) return failed("CONNECTION_FAILED", "there is no such mailbox");
    if (ending.aborted) return failed("CONNECTION_FAILED", "the server stopped before the answer");
    using patience = untilAborted(ending, settings.patienceMs);
    const words = mailbox.put(letter)[Symbol.asyncIterator]();
    const next = (): Promise<IteratorResult<string> | "over"> =>
      Promise.race([words.next(), patience.over]);
    try {
      const first = await next();
      if (first === "over") {
        return ending.aborted
          ? failed("CONNECTION_FAILED", "the server stopped before the answer")
          : failed("TIMEOUT", `no answer within ${settings.patienceMs} ms`);
      }
      if (first.value === "refused") return failed("BAD_STATUS", "the mailbox refused the letter");
      if (first.value !== "taken") return failed("CONNECTION_FAILED", "the answer makes no sense");
      let note = "";
      while (note.length < longestNote) {
        const word = await next();
        if (word === "over" || word.done === true) break;
        note += word.value;
      }
      return { ...delivered, response: note === "" ? null : note.slice(0, longestNote) };
    } catch {
      return failed("CONNECTION_FAILED", "the mailbox broke the conversation off");
    }
  }

  return {
    kind: "mailbox",
    signs: false,
    failures,
    complete: async (given) => completeMailbox(given),
    merge: async (kept, change) => mergeMailbox(kept, change),
    view: viewMailbox,
    deliver,
    close: async () => closing.abort(),
  };
}

const delivered: AttemptReport = {
  outcome: "DELIVERED",
  statusCode: null,
  error: null,
  response: null,
  retryAfterMs: null,
};

function failed(outcome: keyof typeof failures, error: string): AttemptReport {
  return { ...delivered, outcome, error };
}

/**
 * Resolves when the signal aborts or the time is over. Disposing of it removes the timer and the listener.
 */
function untilAborted(signal: AbortSignal, ms: number): Disposable & { over: Promise<"over"> } {
  const done = new AbortController();
  const ended = AbortSignal.any([signal, done.signal]);
  return {
    over: pause(systemTimers, ms, ended).then(() => "over"),
    [Symbol.dispose]: () => done.abort(),
  };
}
