import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G16: the service stores and delivers the payload byte for byte. */
export function checkBytes({ payload, receipts, final }: MessageLog, report: Report): void {
  const bytes = Buffer.from(payload);
  for (const { body, attemptNumber } of receipts) {
    if (bytes.equals(body)) continue;
    report(
      "G16",
      `came with other bytes than it was scheduled with (attempt ${attemptNumber}: ${body.length} bytes, ${firstDifference(bytes, body)}; ${bytes.length} were scheduled)`,
    );
  }
  if (final != null && final.payload !== null && final.payload !== payload) {
    const kept = Buffer.from(final.payload);
    report(
      "G16",
      `is kept with other bytes than it was scheduled with (${firstDifference(bytes, kept)})`,
    );
  }
}

function firstDifference(one: Uint8Array, other: Uint8Array): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return `different from byte ${at} on`;
}
