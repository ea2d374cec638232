import { schema, settingNames } from "./schema.ts";

const introduction = `# Configuration

<!-- Written by \`npm run docs:reference\` from the settings' schema. Edit that, not this page. -->

This page has every setting of \`postdate serve\` and \`postdate dev\`. A flag overrides the environment, and the environment overrides the default. If settings are wrong, the command reports all mistakes at once, on stderr, with exit code 2.

- **From a file.** Instead of a variable you can set one with \`_FILE\` at its end. It names a file that holds the value, such as a secret mounted into a container: \`POSTDATE_ROOT_KEY_FILE=/run/secrets/root-key\`. A line break at the file's end is ignored. You cannot set both a variable and its \`_FILE\`.
- **Empty variables** count as not set.
- **Durations** are written \`250ms\`, \`90s\`, \`1h30m\`, \`14d\` or \`2w\`.
- **Unknown variables** that begin with \`POSTDATE_\` cause a warning, which suggests the name you may have meant.
- **Secrets** have no flag, because flags show in the list of processes. The start-up log says only whether they are set. It treats a database address in the same way, because that may hold a password.
- **Variables of OpenTelemetry** (\`OTEL_…\`) have their usual names and no flag. [Tracing](../operations/tracing.md) says which others the service reads.
- \`postdate dev\` has its own defaults: the data directory is \`./postdate-dev\`, the log level is \`error\` (the receiver shows each failure), \`127.0.0.0/8\` and \`::1/128\` are always allowed, and the root key stays the same between starts.

| Setting | Flag | Variable | Default |
|---|---|---|---|
`;

/** The page docs/reference/configuration.md. A test compares the two. */
export function configurationReference(): string {
  const rows = settingNames.map((name) => {
    const { flag, env, defaultText } = schema[name];
    const title = titleOf(name);
    const flagCell = flag === null ? "none" : `\`${flag}\``;
    return `| [${title}](#${anchorOf(title)}) | ${flagCell} | \`${env}\` | ${defaultText} |`;
  });
  return `${introduction}${rows.join("\n")}\n\n${settingNames.map(section).join("\n")}`;
}

function section(name: (typeof settingNames)[number]): string {
  const { flag, env, kind, defaultText, description, repeatable, secret } = schema[name];
  const sources = flag === null ? `\`${env}\`` : `\`${flag} <${kind.placeholder}>\`, \`${env}\``;
  return [
    `## ${titleOf(name)}`,
    "",
    description,
    "",
    `- Set by: ${sources}`,
    `- Accepts: ${kind.accepts}${repeatable ? "; the flag may be repeated" : ""}`,
    `- Default: ${defaultText}`,
    ...(secret ? ["- Secret: never written to the log"] : []),
    "",
  ].join("\n");
}

/** "maxInFlight" as "Max in flight". */
function titleOf(name: string): string {
  const words = name
    .replace(/Ms$/, "")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
