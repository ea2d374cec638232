import { nearNames } from "./near-names.ts";
import type { Environment } from "./environment.ts";
import { schema, settingNames } from "./schema.ts";

/** Commands, clients and receivers read these. The service does not. */
const clientVariables = [
  "POSTDATE_URL",
  "POSTDATE_KEY",
  "POSTDATE_KEY_FILE",
  "POSTDATE_WEBHOOK_SECRET",
];

/** Variables that Kubernetes sets in every pod beside a service named "postdate". */
const serviceLink = /^POSTDATE_(SERVICE_|PORT_\d)/;

/** A warning for each POSTDATE_ variable that nothing reads, which is most likely a typing mistake. */
export function unknownVariables(env: Environment["env"]): string[] {
  const settings = settingNames.map((name) => schema[name].env);
  const known = [...settings, ...settings.map((name) => `${name}_FILE`), ...clientVariables];
  return Object.keys(env)
    .filter((name) => name.startsWith("POSTDATE_") && !known.includes(name))
    .filter((name) => !serviceLink.test(name))
    .toSorted()
    .map((name) => {
      const near = nearNames(name, known);
      const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
      return `${name} is set, but nothing reads it.${hint}`;
    });
}
