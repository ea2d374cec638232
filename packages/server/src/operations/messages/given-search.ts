import {
  isLabelName,
  isLabelValue,
  keyText,
  mostLabels,
  scheduleText,
} from "../../domain/message-options.ts";
import type { MessageSearch, SearchOrder } from "../../domain/message-search.ts";
import { messageStates } from "../../domain/message.ts";
import type { MessageState } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import { targetIdPattern } from "../../domain/target.ts";
import { readTimeSpan } from "./given-time.ts";

/** A search as a caller writes it. Parameters that failed their schema are left out. */
export interface GivenSearch {
  readonly state?: string | undefined;
  readonly targetId?: string | undefined;
  readonly label?: string | undefined;
  readonly key?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
  readonly order?: SearchOrder | undefined;
}

/** Adds to `problems` what cannot be read. */
export function readSearch(given: GivenSearch, problems: Problem[]): MessageSearch {
  return {
    states: readStates(given.state, problems),
    targetId: readTargetId(given.targetId, problems),
    labels: [
      ...readLabels(given.label, problems),
      ...(given.key === undefined ? [] : [keyText(given.key)]),
      ...readSchedule(given.scheduleId, problems),
    ],
    ...readTimeSpan(given, problems),
    order: given.order ?? "newest",
  };
}

/**
 * For page tokens: what a search looks for besides its target and its times. Callers may write states and labels
 * in another order.
 */
export function searchText({ order, states, labels }: MessageSearch): string {
  return JSON.stringify([order, states, labels]);
}

function readStates(text: string | undefined, problems: Problem[]): MessageState[] | null {
  if (text === undefined) return null;
  const given = text.split(",");
  if (given.every((state) => (messageStates as readonly string[]).includes(state))) {
    return messageStates.filter((state) => given.includes(state));
  }
  problems.push(
    problem("state", `List one or more of ${messageStates.join(", ")}, separated by commas.`),
  );
  return null;
}

export function readTargetId(text: string | undefined, problems: Problem[]): string | null {
  if (text === undefined) return null;
  // A filter that matches nothing would hide the mistake, and some stores cannot search for such text.
  if (!targetIdPattern.test(text)) {
    problems.push(
      problem("targetId", "This is no id of a target: it has 1 to 64 of A-Z, a-z, 0-9, '_', '-'."),
    );
  }
  return text;
}

function readSchedule(text: string | undefined, problems: Problem[]): string[] {
  if (text === undefined) return [];
  if (!scheduleIdPattern.test(text)) {
    problems.push(
      problem(
        "scheduleId",
        "This is no id of a schedule: it has 1 to 64 of A-Z, a-z, 0-9, '_', '-'.",
      ),
    );
  }
  return [scheduleText(text)];
}

function readLabels(text: string | undefined, problems: Problem[]): string[] {
  if (text === undefined) return [];
  const labels = splitLabels(text);
  const wrong = labels === undefined ? labelForm : labelsProblem(labels);
  if (wrong !== undefined) problems.push(problem("label", wrong));
  return labels?.toSorted() ?? [];
}

const labelForm =
  "Write each label as name:value and separate them by commas. In a value, write a comma as \\, and a backslash as \\\\.";

/** Undefined: a backslash stands before something else than a comma or a backslash. */
function splitLabels(text: string): string[] | undefined {
  if (!/^(?:[^\\]|\\[\\,])*$/su.test(text)) return undefined;
  const labels = text.match(/(?:^|,)(?:[^\\,]|\\.)*/gsu) ?? [];
  return labels.map((label, index) =>
    (index === 0 ? label : label.slice(1)).replaceAll(/\\(.)/gsu, "$1"),
  );
}

function labelsProblem(labels: readonly string[]): string | undefined {
  if (labels.length > mostLabels) return `Name at most ${mostLabels} labels.`;
  const names = new Set<string>();
  for (const label of labels) {
    const colon = label.indexOf(":");
    const name = label.slice(0, Math.max(colon, 0));
    if (!isLabelName(name) || !isLabelValue(label.slice(colon + 1))) {
      return `${labelForm} A name has 1 to 40 of the characters a-z, 0-9, '.', '_' and '-'; a value has 1 to 100 characters.`;
    }
    if (names.has(name)) return `Name the label ${name} only once: a message has one value for it.`;
    names.add(name);
  }
  return undefined;
}

function problem(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}
