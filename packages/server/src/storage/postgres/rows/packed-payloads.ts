import type { ScheduleRequest } from "../../store.ts";

/** Payloads in one buffer. The driver sends it as bytes, but would send an array as text. */
export interface PackedPayloads {
  readonly bytes: Buffer;
  /** Where each payload begins, counted from 1, and its length. */
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
