import type { Socket } from "node:net";

/** The attempt that reads from a connection now. */
export interface AnswerReader {
  readonly isAwaitingAnswer: boolean;
  /** Bytes have come while no answer had begun. The attempt may end itself. */
  receivedBytes(count: number): void;
  /** A 1xx has come. The attempt may end itself. */
  receivedInterim(): void;
}

const continueStart = Buffer.from("HTTP/1.1 100 ");
const headEnd = "\r\n\r\n";

/**
 * A server may send `100 Continue` unasked, and a client is to ignore it (RFC 9110, section 15.2);
 * undici takes it for a broken answer, although the target goes on to handle the message. So it is cut
 * out before undici reads it, as long as no answer has begun. The reader counts what comes until then.
 */
export function skipContinue(socket: Socket, readerNow: () => AnswerReader | null): Socket {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const reader = readerNow();
    if (reader === null || !reader.isAwaitingAnswer) return read(size);
    let chunk = readCounted(reader, size);
    while (chunk instanceof Buffer && startsWithContinue(chunk)) {
      const end = chunk.indexOf(headEnd);
      if (end === -1) break;
      reader.receivedInterim();
      if (!reader.isAwaitingAnswer) return null;
      const rest = chunk.subarray(end + headEnd.length);
      chunk = rest.length > 0 ? rest : readCounted(reader, size);
    }
    return chunk;
  };
  return socket;

  function readCounted(reader: AnswerReader, size: number | undefined): unknown {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Buffer)) return chunk;
    reader.receivedBytes(chunk.length);
    return reader.isAwaitingAnswer ? chunk : null;
  }
}

function startsWithContinue(chunk: Buffer): boolean {
  return (
    chunk.length >= continueStart.length &&
    chunk.compare(continueStart, 0, continueStart.length, 0, continueStart.length) === 0
  );
}
