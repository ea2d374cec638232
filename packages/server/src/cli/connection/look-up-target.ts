import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { path, type Api } from "./api.ts";
import { CommandFailed, exitCodes, type Problem } from "../failures/exit-codes.ts";
import type { WirePage, WireTarget } from "./wire.ts";

/** Suggestions come from at most this many pages of names. */
const mostPages = 10;

/** The codes for a missing target: of a message, and of a request for the target itself. */
const notThere = new Set<string>([codes.messageTargetNotFound, codes.targetNotFound]);

/** Fails if the target does not exist, and suggests similar names. */
export async function lookUpTarget(api: Api, targetId: string): Promise<"known" | "not allowed"> {
  try {
    await api.call<WireTarget>({ method: "GET", path: path("targets", targetId) });
    return "known";
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const met = new Set(error.problems.map(({ code }) => code));
    if (met.has(codes.insufficientScope)) return "not allowed";
    if (!met.has(codes.targetNotFound)) throw error;
    throw await noSuchTarget(api, targetId, { code: codes.targetNotFound });
  }
}

/** The service's error for a missing target is written for programs. This one is for people. */
export async function withTargetNames<Answer>(
  api: Api,
  targetId: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const [problem, ...others] = error.problems;
    const isMissing = problem !== undefined && notThere.has(problem.code);
    if (!isMissing || others.length > 0) throw error;
    throw await noSuchTarget(api, targetId, problem);
  }
}

async function noSuchTarget(
  api: Api,
  targetId: string,
  problem: Omit<Problem, "message">,
): Promise<CommandFailed> {
  const near = nearNames(targetId, await targetIds(api));
  const hint =
    near.length === 0
      ? "`postdate target list` shows all targets, `postdate target add` makes one."
      : `Did you mean ${near.join(" or ")}?`;
  const message = `There is no target ${targetId}. ${hint}`;
  return new CommandFailed(exitCodes.notFound, message).because([{ ...problem, message }]);
}

/** Empty if the key may not read targets. */
async function targetIds(api: Api): Promise<readonly string[]> {
  try {
    return await allTargetIds(api);
  } catch (error) {
    if (error instanceof CommandFailed) return [];
    throw error;
  }
}

async function allTargetIds(api: Api): Promise<readonly string[]> {
  const ids: string[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { items, nextPageToken } = await api.call<WirePage<WireTarget>>({
      method: "GET",
      path: "/targets",
      query: { limit: "100", pageToken },
    });
    ids.push(...items.map((target) => target.targetId));
    pageToken = nextPageToken ?? undefined;
    if (pageToken === undefined) break;
  }
  return ids;
}
