import { globSync } from "node:fs";

/** The folders that distributions use, for any architecture. `LIBFAKETIME` names another path. */
const places = ["/usr/lib", "/usr/lib64", "/usr/lib/*-linux-*", "/usr/local/lib"].map(
  (folder) => `${folder}/faketime/libfaketimeMT.so.1`,
);

/** The variant for programs with several threads. */
export function findLibfaketime(): string {
  const found = process.env["LIBFAKETIME"] ?? globSync(places)[0];
  if (found !== undefined) return found;
  throw new Error(
    "This test needs libfaketime: install it (Debian and Ubuntu: apt-get install faketime), or name the library libfaketimeMT.so.1 in LIBFAKETIME.",
  );
}
