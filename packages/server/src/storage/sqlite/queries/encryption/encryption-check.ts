import type { Context } from "../context.ts";

export function encryptionCheck({ db }: Context) {
  const select = db.prepare("SELECT sealed FROM encryption_check");
  return (): string | null => (select.get()?.["sealed"] as string | undefined) ?? null;
}

export function keepEncryptionCheck(context: Context) {
  const insert = context.db.prepare(
    "INSERT INTO encryption_check (only_row, sealed) VALUES (1, ?) ON CONFLICT DO NOTHING",
  );
  const read = encryptionCheck(context);
  return (sealed: string): string => {
    insert.run(sealed);
    return read()!;
  };
}
