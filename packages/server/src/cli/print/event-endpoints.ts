import type { EventEndpoint, EventEndpointWithSecret } from "@postdate/client";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { many } from "./job-words.ts";

const usualTypes = "all but message.scheduled and message.attempt_failed";

export function eventEndpointCard(endpoint: EventEndpointWithSecret, look: Look): string {
  const { now } = look;
  const { kind, url, headers = {}, maxBatch, progress, secret } = endpoint;
  const rows: readonly (Row | null)[] = [
    ["Endpoint", endpoint.endpointId],
    ["Kind", kind],
    ["State", stateText(endpoint, look)],
    ...remedyRows(endpoint),
    ["Types", endpoint.types?.join(", ") ?? usualTypes],
    ["Targets", endpoint.targetIds?.join(", ") ?? "all"],
    endpoint.labels === null ? null : ["Labels", labelsText(endpoint.labels)],
    url === undefined ? null : ["URL", url],
    url === undefined ? null : ["Headers", Object.keys(headers).join(", ") || "none"],
    maxBatch === undefined ? null : ["A request", `at most ${many(maxBatch, "event")}`],
    ...progressRows(progress, now),
    ["Created", timeBeside(endpoint.creationTime, now)],
    ["Changed", timeBeside(endpoint.updateTime, now)],
    secret === undefined ? null : ["Secret", secret],
  ];
  return cardOf(
    rows.filter((row) => row !== null),
    look,
  );
}

function remedyRows(endpoint: EventEndpoint): Row[] {
  const remedy = remedyOf(endpoint);
  return remedy === null ? [] : [["To send again", remedy]];
}

/** The command after which an endpoint that is sent nothing is sent events again; null if it is sent them. */
export function remedyOf({ endpointId, paused, disabledTime }: EventEndpoint): string | null {
  return paused || disabledTime !== null ? `postdate events resume ${endpointId}` : null;
}

function progressRows(progress: EventEndpoint["progress"], now: number): Row[] {
  if (progress === undefined) return [];
  const { behind, failures, lastError, lastSuccessTime, retryTime } = progress;
  return [
    ["Behind", behind === 0 ? "nothing" : `${many(behind, "event")} of the account`],
    ["Last success", timeBeside(lastSuccessTime, now)],
    ...(failures === 0 ? [] : [["Failures", `${counted(failures)} in a row`] as const]),
    ...(lastError === null ? [] : [["Last error", lastError] as const]),
    ...(retryTime === null ? [] : [["Next try", timeBeside(retryTime, now)] as const]),
  ];
}

/** Endpoints, one line each. */
export function eventEndpointRows(endpoints: readonly EventEndpoint[], look: Look): string {
  const titles = ["ENDPOINT", "KIND", "STATE", "CREATED", "TYPES", "URL"];
  const rows = endpoints.map((endpoint) => [
    endpoint.endpointId,
    endpoint.kind,
    stateText(endpoint, look),
    timeCell(endpoint.creationTime, look.now),
    endpoint.types?.join(", ") ?? "the usual",
    endpoint.url ?? "-",
  ]);
  return tableOf({ titles, rows, shortenable: ["URL", "TYPES"] }, look);
}

function stateText({ paused, disabledTime, progress }: EventEndpoint, { paint }: Look): string {
  if (disabledTime !== null) return paint("red", "disabled: its receiver answered 410");
  if (paused) return paint("yellow", "paused");
  return (progress?.failures ?? 0) > 0 ? paint("red", "failing") : paint("green", "active");
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
