import { schema, settingNames } from "./schema.ts";

const introduction = `# Configuration

<!-- Written by \`npm run docs:reference\` from the settings' schema. Edit that, not this page. -->

Every setting of \`postdate serve\` and \`postdate dev\`. A flag wins over the environment, the environment over the default. All mistakes are reported at once, on stderr, with exit code 2.

- **From a file.** Each variable may be replaced by one with \`_FILE\` at its end that names a file holding the value, as secrets mounted into containers do: \`POSTDATE_ROOT_KEY_FILE=/run/secrets/root-key\`. A line break at the file's end is ignored. Setting a variable and its \`_FILE\` is a mistake.
- **Empty variables** count as not set.
- **Durations** are written \`250ms\`, \`90s\`, \`1h30m\`, \`14d\` or \`2w\`.
- **Unknown variables** that begin with \`POSTDATE_\` are named in a warning, with what may have been meant.
- **Secrets** have no flag, since flags show in the list of processes, and the start-up log says only whether they are set. A database address may hold a password and is treated the same in the log.
- \`postdate dev\` differs in these: the data directory is \`./postdate-dev\`, the log level \`error\` (the receiver shows each failure), \`127.0.0.0/8\` and \`::1/128\` are always allowed, and the root key stays the same between starts.

| Setting | Flag | Variable | Default |
|---|---|---|---|
`;

/** The page docs/reference/configuration.md, which a test holds against this. */
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
