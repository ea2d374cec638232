import { countTold } from "./events/count-told.ts";
import type { ToldCounts } from "./events/count-told.ts";
import type { Asked, Expectations, History } from "./history.ts";
import { judge } from "./judge.ts";
import type { Judgement } from "./judge.ts";

const mostTold = 10;

/** Throws unless the history keeps every promise and enough has happened to prove it. */
export function expectKept(history: History): Judgement {
  const judgement = judge(history);
  if (judgement.violations.length > 0) throw new Error(tellViolations(judgement));
  const short = shortcomings(history, judgement);
  if (short.length > 0) throw new Error(`The run proves nothing: ${short.join("; ")}.`);
  return judgement;
}

/** Shows the first few violations, one of each promise first, with the message's story. Counts the rest. */
function tellViolations({ violations }: Judgement): string {
  const byPromise = Map.groupBy(violations, ({ promise }) => promise);
  const firsts = new Set([...byPromise.values()].map(([first]) => first!));
  const inOrder = [...firsts, ...violations.filter((violation) => !firsts.has(violation))];
  const told = inOrder.slice(0, mostTold).map(({ title, story }) => [title, ...story].join("\n"));
  if (violations.length > mostTold) {
    const counts = [...byPromise].map(([promise, { length }]) => `${promise} ${length} times`);
    told.push(`and ${violations.length - mostTold} more: ${counts.join(", ")}`);
  }
  return told.join("\n\n");
}

/** Whether enough calls succeeded. A busy machine needs longer for that. */
export function isEnough(asked: readonly Asked[], expects: Expectations): boolean {
  const acknowledged = acknowledgedOf(asked);
  return (Object.keys(acknowledged) as (keyof typeof acknowledged)[]).every(
    (what) => acknowledged[what] >= expects[what],
  );
}

function acknowledgedOf(asked: readonly Asked[]) {
  const count = (verb: Asked["verb"]): number =>
    asked.filter((call) => call.verb === verb && call.answer.kind === "ok").length;
  return {
    schedules: count("schedule") + count("batch item"),
    cancels: count("cancel"),
    reschedules: count("reschedule"),
  };
}

/** What those who were told of events must have seen. */
const listenersSaw: ToldCounts = { events: 50, readings: 10, again: 1, requests: 1, repeats: 0 };

function tooFew<Counts extends Readonly<Record<keyof Counts, number>>>(
  happened: Counts,
  least: Counts,
): string[] {
  return (Object.keys(happened) as (keyof Counts & string)[])
    .filter((what) => happened[what] < least[what])
    .map((what) => `${happened[what]} ${what}, at least ${least[what]} were expected`);
}

function shortcomings(
  { asked, receipts, expects, events }: History,
  { takeovers }: Judgement,
): string[] {
  const happened: Expectations = {
    ...acknowledgedOf(asked),
    unknowns: asked.filter(({ answer }) => answer.kind === "unknown").length,
    receipts: receipts.length,
    takeovers,
  };
  const least = { ...expects, schedules: Math.max(1, expects.schedules) };
  return [
    ...tooFew(happened, least),
    ...(events === undefined ? [] : tooFew(countTold(events), listenersSaw)),
  ];
}
