/**
 * The key in a link of `postdate dev`. It stands behind the `#`, which no browser sends to a server. It is taken out of the
 * address before anything is shown, so that neither the history nor a copied link has it.
 */
let given = takeOutOfAddress();

function takeOutOfAddress(): string | undefined {
  const [, key] = /^#key=(.+)$/.exec(location.hash) ?? [];
  if (key === undefined) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return decodeURIComponent(key);
}

/** The key, once. */
export function takeKeyInLink(): string | undefined {
  const key = given;
  given = undefined;
  return key;
}
