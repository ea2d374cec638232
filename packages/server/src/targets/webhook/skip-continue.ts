import type { Socket } from "node:net";

const continueStart = Buffer.from("HTTP/1.1 100 ");
const headEnd = "\r\n\r\n";

/**
 * A server may send `100 Continue` unasked, and a client is to ignore it (RFC 9110, section 15.2);
 * undici takes it for a broken answer, although the target goes on to handle the message. So it is cut
 * out before undici reads it, as long as no answer has begun.
 */
export function skipContinue(socket: Socket, isAwaitingAnswer: () => boolean): Socket {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    let chunk: unknown = read(size);
    while (chunk instanceof Buffer && startsWithContinue(chunk) && isAwaitingAnswer()) {
      const end = chunk.indexOf(headEnd);
      if (end === -1) break;
      const rest = chunk.subarray(end + headEnd.length);
      chunk = rest.length > 0 ? rest : read(size);
    }
    return chunk;
  };
  return socket;
}

function startsWithContinue(chunk: Buffer): boolean {
  return (
    chunk.length >= continueStart.length &&
    chunk.compare(continueStart, 0, continueStart.length, 0, continueStart.length) === 0
  );
}
