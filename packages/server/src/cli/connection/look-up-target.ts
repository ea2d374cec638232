import type { Postdate } from "@postdate/client";
import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Service } from "./service.ts";

/** Suggestions come from at most this many names. */
const mostNames = 1_000;

/** The codes for a missing target: of a message, and of a request for the target itself. */
const notThere = new Set<string>([codes.messageTargetNotFound, codes.targetNotFound]);

/** Fails if the target does not exist, and suggests similar names. */
export async function lookUpTarget(
  service: Service,
  targetId: string,
): Promise<"known" | "not allowed"> {
  try {
    await askAboutTarget(service, targetId, (postdate) => postdate.targets.get(targetId));
    return "known";
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (error.problems.some(({ code }) => code === codes.insufficientScope)) return "not allowed";
    throw error;
  }
}

/**
 * The service's error for a missing target is written for programs. This one is for people. Null means
 * that the target does not exist.
 */
export async function askAboutTarget<Answer>(
  service: Service,
  targetId: string,
  call: (postdate: Postdate) => Promise<Answer | null>,
): Promise<Answer> {
  let missing: string = codes.targetNotFound;
  try {
    const answer = await service.ask(call);
    if (answer !== null) return answer;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const [problem, ...others] = error.problems;
    if (problem === undefined || !notThere.has(problem.code) || others.length > 0) throw error;
    missing = problem.code;
  }
  throw await noSuchTarget(service, targetId, missing);
}

async function noSuchTarget(
  service: Service,
  targetId: string,
  code: string,
): Promise<CommandFailed> {
  const near = nearNames(targetId, await targetIds(service));
  const hint =
    near.length === 0
      ? "`postdate target list` shows all targets, `postdate target add` makes one."
      : `Did you mean ${near.join(" or ")}?`;
  const message = `There is no target ${targetId}. ${hint}`;
  return new CommandFailed(exitCodes.notFound, message).because([{ code, message }]);
}

/**
 * The ids of up to a thousand targets. After a failure, or at the signal, those that were read so far:
 * none if the key may not read targets.
 */
export async function targetIds(
  service: Service,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    await service.ask(async ({ targets }) => {
      for await (const target of targets.list({ limit: 100 }, { signal })) {
        if (ids.push(target.targetId) === mostNames) break;
      }
    });
  } catch (error) {
    if (!(error instanceof CommandFailed) && signal?.aborted !== true) throw error;
  }
  return ids;
}
