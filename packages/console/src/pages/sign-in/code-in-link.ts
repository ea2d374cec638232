/**
 * The code in the link that `postdate dev` prints: it signs in once. It stands behind the `#`, which no browser sends to a
 * server. A key there does nothing: otherwise anybody's link could sign a browser in to an account of their choice.
 */
let given = takeOutOfAddress();

/** Before anything is shown, so that neither the history nor a copied link has it. */
function takeOutOfAddress(): string | undefined {
  const [, code] = /^#code=(pdl_[\w-]+)$/.exec(location.hash) ?? [];
  if (location.hash !== "") {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return code;
}

/** The code, once. */
export function takeCodeInLink(): string | undefined {
  const code = given;
  given = undefined;
  return code;
}
