import { CommandFailed, exitCodes } from "../cli/failures/exit-codes.ts";
import { databaseTrouble } from "../cli/failures/store-trouble.ts";
import { StoreUnavailable } from "../storage/store.ts";

/** A database that cannot be reached has its own exit code. */
export async function reportUnreachableStore<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandFailed(exitCodes.unreachable, databaseTrouble(error) ?? error.message);
  }
}
