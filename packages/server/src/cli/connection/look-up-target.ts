import type { Postdate } from "@postdate/client";
import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { targetIds } from "./known-ids.ts";
import type { Service } from "./service.ts";

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
