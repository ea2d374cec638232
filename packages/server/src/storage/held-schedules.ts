import type { Instant } from "../domain/instant.ts";

/**
 * The time to look at a schedule whose account is suspended: none comes. So a suspended account costs nothing, however
 * many schedules it has. The commit that resumes the account remembers it, and the looks after that release its
 * schedules in pieces.
 */
export const heldLookTime: Instant = Number.MAX_SAFE_INTEGER;
