import { FrameSplitter, readText } from "./frames.ts";
import type { Frame } from "./frames.ts";

/** What a client sends at once: a statement with all its parts, or another message. */
export type ClientMessage =
  | { readonly kind: "statement"; readonly name: string; readonly bytes: Buffer }
  /** The client asks whether it may encrypt, and waits for one byte. */
  | { readonly kind: "encryption request" }
  | { readonly kind: "other"; readonly bytes: Buffer };

const encryptionRequests = new Set([80_877_103, 80_877_104]);
const login = 196_608;

/**
 * Assembles a client's messages into statements. A prepared statement goes by its name, any other by its
 * text. `Parse`, `Bind`, `Describe` and `Execute` belong to the `Sync` that ends them.
 */
export class ClientMessages {
  #isLoggingIn = true;
  readonly #splitter = new FrameSplitter(() => !this.#isLoggingIn);
  #parts: Buffer[] = [];
  #name = "";

  *read(bytes: Uint8Array): Generator<ClientMessage, void> {
    for (const frame of this.#splitter.split(bytes)) {
      const message = frame.type === "" ? this.#begin(frame) : this.#take(frame);
      if (message !== undefined) yield message;
    }
  }

  #begin({ bytes, body }: Frame): ClientMessage {
    const code = body.readUInt32BE(0);
    if (encryptionRequests.has(code)) return { kind: "encryption request" };
    if (code === login) this.#isLoggingIn = false;
    return { kind: "other", bytes };
  }

  #take({ type, bytes, body }: Frame): ClientMessage | undefined {
    if (type === "Q") return { kind: "statement", name: readText(body, 0).text, bytes };
    if (!"PBDECS".includes(type)) return { kind: "other", bytes };
    this.#parts.push(bytes);
    if (type === "P") {
      const { text: name, next } = readText(body, 0);
      this.#name = name === "" ? readText(body, next).text : name;
    }
    if (type === "B") {
      const { text: name } = readText(body, readText(body, 0).next);
      if (name !== "") this.#name = name;
    }
    if (type !== "S") return undefined;
    const statement = { kind: "statement", name: this.#name, bytes: Buffer.concat(this.#parts) };
    this.#parts = [];
    this.#name = "";
    return statement as ClientMessage;
  }
}
