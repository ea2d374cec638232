import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { path, type Api } from "./api.ts";
import { CommandFailed, exitCodes, type Problem } from "../failures/exit-codes.ts";
import type { WirePage, WireTarget } from "./wire.ts";

/** The names that a suggestion is taken from are as many as fit this many pages. */
const mostPages = 10;

/** How the service says it: of a message's target, and of one that is asked for itself. */
const notThere = new Set<string>([codes.messageTargetNotFound, codes.targetNotFound]);

/** Fails where there is no such target, with the names that may have been meant. */
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

/** The service's words for a target that is not there are for programs; these are for people. */
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
      ? "`postdate target list` shows those there are, `postdate target add` makes one."
      : `Did you mean ${near.join(" or ")}?`;
  const message = `There is no target ${targetId}. ${hint}`;
  return new CommandFailed(exitCodes.notFound, message).because([{ ...problem, message }]);
}

/** None where the key may not see them. */
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
