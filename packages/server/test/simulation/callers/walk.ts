import type { PageAsked } from "../../history/history.ts";
import type { Move } from "../world/moves.ts";
import { callerOf } from "./service-line.ts";
import type { ServiceLine } from "./service-line.ts";

const mostPages = 1_000;

/** Reads a list page by page. A page whose answer was lost is asked for again. */
export async function walkList(
  line: ServiceLine,
  { accountId, targetId, limit, list }: Extract<Move, { kind: "walk" }>,
  walk: string,
): Promise<void> {
  let pageToken: string | undefined;
  for (let tries = 0; tries < mostPages && !line.gaveUp; tries++) {
    const askedAt = line.now();
    const query = { limit, problems: [], pageToken };
    const answer = await line.ask(walk, (operations) =>
      list === "scheduled"
        ? operations.listScheduledMessages(callerOf(accountId), targetId, query)
        : operations.listDeadLetters(callerOf(accountId), targetId, query),
    );
    const base: Omit<PageAsked, "answer" | "answeredAt"> = {
      verb: "list page",
      accountId,
      writer: walk,
      walk,
      list: list === "scheduled" ? "scheduled" : "dead letters",
      targetId,
      minTime: null,
      maxTime: null,
      limit,
      askedAt,
    };
    if (answer.kind === "refused") return line.note({ ...base, answer });
    if (answer.kind === "ok") {
      const { items, nextPageToken } = answer.value;
      line.note({ ...base, answer: { kind: "ok", items, isLast: nextPageToken === null } });
      if (nextPageToken === null) return;
      pageToken = nextPageToken;
    }
    await line.pause(line.random.between(1, 500));
  }
}
