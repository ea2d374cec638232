import { connect } from "node:net";

/**
 * Sends the bytes unchanged and returns everything that comes back until the server closes the connection.
 * For requests that no HTTP client makes.
 */
export function rawRequest(url: string, request: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.on("error", (error) => {
      if (chunks.length === 0) reject(error);
    });
  });
}
