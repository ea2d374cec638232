import type { Bookmark } from "./bookmark.ts";

/** The first letter of what a text holds, so that a later form can be told from this one. */
const version = "1";

/** A position as callers see it. They are not to compute with it, so it does not look like a number. */
export function positionText({ position, mark }: Bookmark): string {
  const text = `${version}:${position}${mark === null ? "" : `:${mark}`}`;
  return Buffer.from(text).toString("base64url");
}

/** Undefined: the service has made no such text. */
export function readPositionText(text: string): Bookmark | undefined {
  const [, digits, mark = null] =
    /^1:(0|[1-9]\d{0,15})(?::([0-9a-z]{1,10}))?$/.exec(Buffer.from(text, "base64url").toString()) ??
    [];
  const position = Number(digits);
  if (!Number.isSafeInteger(position)) return undefined;
  const bookmark = { position, mark };
  // The decoder is lenient, but a position has only one spelling.
  return positionText(bookmark) === text ? bookmark : undefined;
}
