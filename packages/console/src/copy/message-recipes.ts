import type { Message } from "@postdate/client";
import { shellQuoted } from "./shell-quoted.ts";

interface Recipe {
  readonly name: string;
  readonly text: string;
}

/** How to schedule the same message again: with curl, the command line and the client. None contains a key. */
export function messageRecipes(message: Message, payload: string, serverUrl: string): Recipe[] {
  const { targetId, originalDeliveryTime: at, labels, key, contentType } = message;
  const body = {
    targetId,
    deliveryTime: at,
    payload,
    ...(key !== undefined && { key }),
    ...(labels !== undefined && { labels }),
    ...(contentType !== undefined && { contentType }),
  };
  const { deliveryTime: _, ...content } = body;
  const options = [
    ...(key === undefined ? [] : ["--message-key", key]),
    ...(contentType === undefined ? [] : ["--content-type", contentType]),
    ...Object.entries(labels ?? {}).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
  ];
  return [
    {
      name: "curl",
      text: [
        `curl -sS ${shellQuoted(`${serverUrl}/v1/messages`)}`,
        `  -H "Authorization: Bearer $POSTDATE_KEY" -H 'Content-Type: application/json'`,
        `  -d ${shellQuoted(JSON.stringify(body))}`,
      ].join(" \\\n"),
    },
    {
      name: "Command line",
      // After `--` nothing is taken for an option, whatever the payload begins with.
      text: ["npx", "postdate", "send", "--at", at, ...options, "--", targetId, payload]
        .map(shellQuoted)
        .join(" "),
    },
    {
      name: "TypeScript",
      text: `import { Postdate } from "@postdate/client";

// Reads POSTDATE_KEY.
const postdate = new Postdate({ url: ${JSON.stringify(serverUrl)} });
await postdate.messages.schedule(${JSON.stringify({ ...content, at }, null, 2)});
`,
    },
  ];
}
