import type { Socket } from "node:net";

/** The attempt that currently reads from a connection. */
export interface AnswerReader {
  readonly isAwaitingAnswer: boolean;
  /** Bytes have arrived before the answer began. The attempt may end itself. */
  receivedBytes(count: number): void;
  /** A 1xx answer has arrived. The attempt may end itself. */
  receivedInterim(): void;
}

const continueStart = Buffer.from("HTTP/1.1 100 ");
const headEnd = "\r\n\r\n";

/**
 * A server may send `100 Continue` without being asked, and a client must ignore it (RFC 9110, section
 * 15.2). undici treats it as a broken answer, although the target goes on to handle the message. So this
 * removes it before undici reads it, until an answer begins. The reader counts the bytes that arrive before
 * that.
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
