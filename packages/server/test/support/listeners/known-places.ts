import { positionText, readPositionText } from "../../../src/domain/events/position-text.ts";

/** The positions that a reader was given, by their numbers. */
export class KnownPlaces {
  readonly #texts = new Map<number, string>();

  learn(text: string): void {
    this.#texts.set(readPositionText(text)!.position, text);
  }

  /** As the service gave it, so that it sees whether its log still has that event. Without a mark if it gave none. */
  textOf(position: number): string {
    return this.#texts.get(position) ?? positionText({ position, mark: null });
  }
}
