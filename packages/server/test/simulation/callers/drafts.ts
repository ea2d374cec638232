import { formatTime } from "../../../src/domain/times.ts";
import { completeRetryPolicy } from "../../../src/operations/retry-policies/complete-retry-policy.ts";
import type { AskedBound, AskedOptions, Due, ScheduleAsked } from "../../history/history.ts";
import type { Move, MoveBound } from "../world/moves.ts";
import type { ServiceLine } from "./service-line.ts";

export type ScheduleMove = Extract<Move, { kind: "schedule" }>;

/** What a move asks for at the moment at which it is first made. Repetitions ask for the same. */
export interface Draft {
  readonly move: ScheduleMove;
  readonly dueAt: Due;
  readonly options: AskedOptions | undefined;
}

export function draftFor(line: ServiceLine, move: ScheduleMove): Draft {
  return { move, dueAt: dueOf(line, move), options: optionsOf(line, move) };
}

export function dueOf(
  line: ServiceLine,
  { dueInMs, byDelay = false }: Pick<ScheduleMove, "dueInMs" | "byDelay">,
): Due {
  return byDelay ? { delayMs: dueInMs } : line.instantIn(dueInMs);
}

function optionsOf(line: ServiceLine, { options }: ScheduleMove): AskedOptions | undefined {
  if (options === undefined) return undefined;
  const { bound, delaysMs, ...others } = options;
  return {
    ...others,
    ...(bound !== undefined && { bound: boundOf(line, bound) }),
    ...(delaysMs !== undefined && {
      retryPolicy: completeRetryPolicy({ backoff: { kind: "list", delaysMs } }),
    }),
  };
}

export function boundOf(line: ServiceLine, bound: MoveBound): AskedBound {
  return "notAfterMs" in bound ? bound : { notAfter: line.instantIn(bound.endsInMs) };
}

/** The fields of a request that say when. */
export function timeFields(due: Due) {
  return typeof due === "number"
    ? { deliveryTime: formatTime(due) }
    : { deliveryTime: undefined, ...due };
}

export function boundFields(bound: AskedBound | null) {
  if (bound === null) return { notAfter: null };
  return "notAfter" in bound ? { notAfter: formatTime(bound.notAfter) } : bound;
}

/** The draft as the service takes it. */
export function requestOf({ move, dueAt, options }: Draft) {
  const { targetId, payload, key } = move;
  const { bound, ...others } = options ?? {};
  const given = { ...others, ...(bound !== undefined && boundFields(bound)), ...keyFields(move) };
  const isDebounced = key?.onConflict === "debounce";
  const isPlain = options === undefined && key === undefined;
  return {
    targetId,
    ...(isDebounced ? { deliveryTime: undefined } : timeFields(dueAt)),
    payload,
    ...(!isPlain && { options: given }),
    problems: [],
  };
}

function keyFields({ key: wanted, dueInMs }: ScheduleMove) {
  if (wanted === undefined) return {};
  const { key, onConflict, maxWaitMs } = wanted;
  const debounce = { quietMs: dueInMs, maxWaitMs: maxWaitMs! };
  return { key, onConflict, ...(onConflict === "debounce" && { debounce }) };
}

/** The draft as the log has it. */
export function askedOf({
  move,
  dueAt,
  options,
}: Draft): Omit<ScheduleAsked, "verb" | "answer" | "askedAt" | "answeredAt"> {
  const { name, accountId, targetId, payload, key: wantedKey } = move;
  return {
    accountId,
    writer: name,
    key: name,
    targetId,
    dueAt,
    payload,
    ...(options !== undefined && { options }),
    ...(wantedKey !== undefined && { wantedKey }),
  };
}
