import type { WorkContext } from "../context.ts";

export function encryptionCheck({ connections }: WorkContext) {
  return async (): Promise<string | null> => {
    const [row] = await connections.query({
      name: "encryption-check",
      text: "SELECT sealed FROM encryption_check",
    });
    return row === undefined ? null : (row["sealed"] as string);
  };
}

export function keepEncryptionCheck(context: WorkContext) {
  const read = encryptionCheck(context);
  return async (sealed: string): Promise<string> => {
    await context.connections.query({
      name: "keep-encryption-check",
      text: "INSERT INTO encryption_check (only_row, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING",
      values: [sealed],
    });
    // A separate statement, so that it sees a value that another node has stored first.
    return (await read())!;
  };
}
