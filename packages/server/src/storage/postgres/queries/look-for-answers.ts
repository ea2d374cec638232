import { nameOfWork } from "../connections/connections.ts";
import type { Context } from "./context.ts";

export interface ClaimKey {
  readonly targetKey: number;
  readonly key: string;
}

export interface WaitingCall {
  readonly changeId: number;
  /** The claim that the call waits for. */
  readonly claim: ClaimKey;
}

export interface SeenAnswer {
  /** Null: not decided yet. */
  readonly answer: string | null;
  readonly inFlight: boolean;
}

/**
 * Undefined for a call that waits for nothing any more: its claim has ended, and another was made.
 */
export function lookForAnswers({ connections }: Context) {
  return async (calls: readonly WaitingCall[]): Promise<(SeenAnswer | undefined)[]> => {
    const look = {
      name: "look-for-answers",
      text: `SELECT w.change_id, w.answer, c.message_id IS NOT NULL AS in_flight
        FROM unnest($1::bigint[], $2::int[], $3::uuid[]) AS u(change_id, target_key, message_id)
        JOIN waiting_changes w ON w.change_id = u.change_id
        LEFT JOIN claims c ON c.target_key = u.target_key AND c.message_id = u.message_id`,
      values: [
        calls.map(({ changeId }) => changeId),
        calls.map(({ claim }) => claim.targetKey),
        calls.map(({ claim }) => claim.key),
      ],
    };
    // One statement serves waiting calls of all accounts.
    const rows = await connections.query(look, nameOfWork("look-for-answers"));
    const byId = new Map(
      rows.map((row): [number, SeenAnswer] => [
        row["change_id"],
        { answer: row["answer"], inFlight: row["in_flight"] },
      ]),
    );
    return calls.map(({ changeId }) => byId.get(changeId));
  };
}
