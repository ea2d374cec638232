import type { Paint } from "../terminal/colours.ts";
import { defaultUrl } from "../connection/choose-access.ts";
import { alignedRows } from "../terminal/aligned.ts";
import { devTargetId } from "./dev-target.ts";
import { defaultReceiverPort } from "./receiver.ts";

export interface BannerOptions {
  readonly url: string;
  readonly receiverUrl: string;
  readonly dataDir: string;
  readonly rootKey: string;
  readonly signInCode: string;
  readonly paint: Paint;
}

/** What a newcomer needs to know, below the ready line. */
export function banner(options: BannerOptions): string {
  const { url, receiverUrl, dataDir, rootKey, signInCode, paint } = options;
  const addresses = alignedRows([
    ["  API", `${url}/v1`],
    // Behind the `#`, which browsers send to nobody. The console takes it out of the address.
    ["  Console", `${url}/console/#code=${signInCode} (signs in, once)`],
    ["  Docs", `${url}/docs`],
    ["  Receiver", `${receiverUrl} (where the target "${devTargetId}" points)`],
    ["  Data", dataDir],
  ]);
  const port = new URL(receiverUrl).port;
  const portFlag = Number(port) === defaultReceiverPort ? "" : ` --receiver-port ${port}`;
  const exports = [
    ...(url === defaultUrl ? [] : [`  export POSTDATE_URL=${url}`]),
    `  export POSTDATE_KEY=${rootKey}`,
  ];
  const tries = alignedRows([
    [`  npx postdate send ${devTargetId} "hello" --in 5s --wait`],
    [`  npx postdate dev fail 3${portFlag}`, "# fail the next three, see the retries"],
  ]);
  return [
    "",
    addresses,
    paint("bold", "In another terminal:"),
    "",
    ...exports,
    tries,
    paint("bold", "Deliveries and other events, as they happen (Ctrl-C stops):"),
    "",
  ].join("\n");
}
