import type { FastifyReply, FastifyRequest } from "fastify";

const mostDrainedBytes = 64 * 1024 * 1024;

/**
 * Reads on what is left of a refused body. A connection that is closed while its client still sends is
 * reset, and the client sees a broken pipe in place of the answer.
 */
export function drainBody(request: FastifyRequest, reply: FastifyReply): void {
  void reply.removeHeader("connection");
  let drainedBytes = 0;
  request.raw.on("data", (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > mostDrainedBytes) request.raw.destroy();
  });
}
