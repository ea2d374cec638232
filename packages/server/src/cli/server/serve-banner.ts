import type { Settings } from "../../config/settings.ts";
import type { Paint } from "../terminal/colours.ts";
import { defaultUrl } from "../connection/choose-access.ts";
import { alignedRows } from "../terminal/aligned.ts";
import { databaseLocation } from "../print/migration.ts";
import type { RunningServer } from "../surroundings/running-server.ts";

/** What a person needs to know after starting the service, below the ready line. */
export function serveBanner(
  { url, generatedRootKey }: RunningServer,
  { dataDir, databaseUrl }: Pick<Settings, "dataDir" | "databaseUrl">,
  paint: Paint,
): string {
  const data = databaseUrl === null ? dataDir : `PostgreSQL, ${databaseLocation(databaseUrl)}`;
  const whose = generatedRootKey === null ? "# your key" : "# the key above";
  const steps = [
    ...(url === defaultUrl ? [] : [`  export POSTDATE_URL=${url}`]),
    `  export POSTDATE_KEY=pd_…  ${paint("dim", whose)}`,
    "  npx postdate target add https://example.com/hooks --id billing",
    '  npx postdate send billing "hello" --in 5s --wait',
  ];
  return [
    "",
    alignedRows([
      ["  API", `${url}/v1`],
      ["  Console", `${url}/console`],
      ["  Docs", `${url}/docs`],
      ["  Data", data],
    ]),
    paint("bold", "In another terminal:"),
    "",
    ...steps,
    "",
    "Ctrl-C stops it. --log-level debug shows all settings.\n",
  ].join("\n");
}
