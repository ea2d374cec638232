import { codes } from "../../../domain/refusals.ts";
import type { Problem } from "../../../domain/refusals.ts";
import { foreignFields } from "../../foreign-fields.ts";
import type { CheckedSettings, GivenSettings } from "../../target-kind.ts";

export type MailboxSettings = {
  readonly mailbox: string;
  /** Opens the mailbox. Callers set it, and the service never shows it. */
  readonly pin: string | null;
  readonly patienceMs: number;
};

const pinIsSet = "set";
const defaults: MailboxSettings = { mailbox: "", pin: null, patienceMs: 1_000 };

interface GivenMailbox {
  readonly mailbox?: string;
  readonly pin?: string | null;
  readonly patienceMs?: number | null;
}

export function completeMailbox(given: GivenSettings): CheckedSettings<MailboxSettings> {
  return mergeMailbox(defaults, given);
}

export function mergeMailbox(
  kept: MailboxSettings,
  change: GivenSettings,
): CheckedSettings<MailboxSettings> {
  const { mailbox, pin, patienceMs } = change as GivenMailbox;
  const settings = {
    mailbox: mailbox ?? kept.mailbox,
    pin: pin === undefined || pin === pinIsSet ? kept.pin : pin,
    patienceMs: patienceMs === undefined ? kept.patienceMs : (patienceMs ?? defaults.patienceMs),
  };
  const problems = foreignFields("mailbox", change, Object.keys(defaults));
  return { settings, problems: [...problems, ...nameProblems(settings)] };
}

export function viewMailbox(settings: MailboxSettings): MailboxSettings {
  return { ...settings, pin: settings.pin === null ? null : pinIsSet };
}

function nameProblems({ mailbox }: MailboxSettings): readonly Problem[] {
  if (/^[a-z-]+$/.test(mailbox)) return [];
  return [{ code: codes.invalidRequest, message: "Give the name of a mailbox.", field: "mailbox" }];
}
