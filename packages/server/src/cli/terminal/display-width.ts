/** Characters that a terminal draws two columns wide: East Asian letters and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Colour codes take no column. */
// oxlint-disable-next-line no-control-regex -- a colour begins with it
const colour = /(\u001b\[[\d;]*m)/;
let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: it takes longer than most commands have to wait for their answer. */
const charactersOf = (text: string): Iterable<Intl.SegmentData> =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  // Nearly all text is plain. This saves a look at each character of a long list.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const piece of text.split(colour)) {
    if (colour.test(piece)) continue;
    for (const { segment } of charactersOf(piece)) width += widthOf(segment);
  }
  return width;
}

/** The text if it fits; otherwise as much as fits, with an ellipsis. Colours are ended. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let left = columns - 1;
  let cut = "";
  let isFull = false;
  for (const piece of text.split(colour)) {
    if (colour.test(piece)) {
      // Colour codes after the cut are kept, because one of them ends the current colour.
      cut += piece;
      continue;
    }
    for (const { segment } of charactersOf(piece)) {
      if (isFull) break;
      left -= widthOf(segment);
      isFull = left < 0;
      cut += isFull ? "…" : segment;
    }
  }
  return cut;
}

function widthOf(character: string): number {
  return wide.test(character) ? 2 : 1;
}
