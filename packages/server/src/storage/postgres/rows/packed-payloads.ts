import type { ScheduleRequest } from "../../store.ts";

/** Payloads behind one another: sent as they are, in one piece, where an array would be sent as text. */
export interface PackedPayloads {
  readonly bytes: Buffer;
  /** Of each payload, where it begins, counted from 1, and how long it is. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

export function packPayloads(
  requests: readonly Pick<ScheduleRequest, "payload">[],
): PackedPayloads {
  const lengths = requests.map(({ payload }) => Buffer.byteLength(payload));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  const starts: number[] = [];
  let at = 0;
  for (const [index, { payload }] of requests.entries()) {
    starts.push(at + 1);
    bytes.write(payload, at, "utf8");
    at += lengths[index]!;
  }
  return { bytes, starts, lengths };
}
