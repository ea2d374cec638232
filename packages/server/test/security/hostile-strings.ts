const long = 50_000;
const filled = (text: string, length = long): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Texts that make careless patterns and parsers try every possibility. */
export const hostileStrings: readonly string[] = [
  `${filled("a")} x`,
  `a${filled(" ")}x`,
  `${filled("\t ")}!`,
  `a/b;${filled(" ")}\u0001`,
  `2026-11-14T09:30:00.${filled("0")}x`,
  `http://${filled("a.")}%`,
  `http:${filled("/@")}`,
  `http://[${filled(":0")}`,
  `a/b; c="${filled('\\"')}`,
  `whsec_${filled("AAAA")}==`,
  `${filled("scheduler.all.read ")}!`,
  filled("%"),
  `e${filled("\u0301")}`,
  filled("\ud83d"),
  filled("\0"),
];

/** As much of the text as fits into a request's path or header. It keeps the end, which matters most. */
export function shortened(text: string, bytes: number): string {
  const end = text.slice(-2);
  let length = bytes;
  let kept: string;
  do {
    kept = (text.slice(0, length) + end).toWellFormed();
    length = Math.floor(length * 0.9);
  } while (encodeURIComponent(kept).length > bytes);
  return kept;
}
