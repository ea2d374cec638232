import type { Message } from "@postdate/client";
import { optionFlags } from "./option-flags.ts";
import { hasKeys, pastableJson, printing, shellQuoted } from "./shell-quoted.ts";

interface Recipe {
  readonly name: string;
  readonly text: string;
}

/**
 * How to schedule the same message again: with curl, the command line and the client. None contains a key, nor the values
 * of headers, which nobody can read.
 */
export function messageRecipes(message: Message, payload: string, serverUrl: string): Recipe[] {
  const { targetId, originalDeliveryTime: at } = message;
  const options = optionsOf(message);
  return [
    {
      name: "curl",
      text: [
        `curl -sS ${shellQuoted(`${serverUrl}/v1/messages`)}`,
        `  -H "Authorization: Bearer $POSTDATE_KEY" -H 'Content-Type: application/json'`,
        `  -d ${shellQuoted(pastableJson({ targetId, deliveryTime: at, payload, ...options }))}`,
      ].join(" \\\n"),
    },
    { name: "Command line", text: commandFor(message, payload) },
    {
      name: "TypeScript",
      text: `import { Postdate } from "@postdate/client";

// Reads POSTDATE_KEY.
const postdate = new Postdate({ url: ${JSON.stringify(serverUrl)} });
await postdate.messages.schedule(${pastableJson({ targetId, payload, ...options, at }, 2)});
`,
    },
  ];
}

/** What the message has set, as it was given. */
function optionsOf(message: Message) {
  const { key, labels, contentType, retryPolicy, timeoutMs, flexWindowMs } = message;
  const { notAfter, notAfterMs } = message;
  const all = { key, labels, contentType, retryPolicy, timeoutMs, flexWindowMs };
  const given = { ...all, ...(notAfterMs === undefined ? { notAfter } : { notAfterMs }) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function commandFor(message: Message, payload: string): string {
  const { targetId, originalDeliveryTime: at } = message;
  const words = ["npx", "postdate", "send", "--at", at, ...optionFlags(message), "--", targetId];
  // A dash alone stands for the standard input.
  if (payload !== "-" && !hasKeys(payload)) return [...words, payload].map(shellQuoted).join(" ");
  return `${printing(payload)} | ${[...words, "-"].map(shellQuoted).join(" ")}`;
}
