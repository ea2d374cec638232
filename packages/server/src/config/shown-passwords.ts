/** A warning if a command-line option holds a database password; undefined if it does not. */
export function shownPassword(flag: string, url: unknown): string | undefined {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null) return undefined;
  if (parsed.password === "" && !parsed.searchParams.has("password")) return undefined;
  return (
    `${flag} holds a password, which everybody on this machine can read in the list of processes. ` +
    "Put it into PGPASSWORD or a file named by PGPASSFILE, or the whole URL into " +
    "POSTDATE_DATABASE_URL or a file named by POSTDATE_DATABASE_URL_FILE"
  );
}
