import { hash, timingSafeEqual } from "node:crypto";
import type { SignInLink } from "../../domain/session.ts";

/** The key that the code of the link stands for, the first time. Whatever else is given stays as it is. */
export function keyBehindLink(link: SignInLink | null): (given: string) => string {
  let unused = link;
  return (given) => {
    if (unused === null || !timingSafeEqual(digest(given), digest(unused.code))) return given;
    const { key } = unused;
    unused = null;
    return key;
  };
}

/** Digests have equal length whatever was given. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
