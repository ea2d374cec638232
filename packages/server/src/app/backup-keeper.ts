import type { BackupKeeper } from "../cli/surroundings/backup-keeper.ts";
import { systemRandom } from "../platform/random.ts";
import { createSecretBox } from "../platform/secret-box.ts";
import { backUpFolder } from "../storage/sqlite/backup/back-up-folder.ts";
import { restoreFolder } from "../storage/sqlite/backup/restore-folder.ts";
import { refuseUnlessFits } from "./first-start/check-encryption-key.ts";
import { makeDataFolder } from "./first-start/data-folder.ts";
import { readEncryptionKey } from "./first-start/encryption-key.ts";

export const backupKeeper: BackupKeeper = {
  backUp: (dataDir, file, onCopied) => backUpFolder(dataDir, file, { onCopied }),

  async restore({ file, dataDir, encryptionKey }) {
    makeDataFolder(dataDir);
    const key = encryptionKey ?? readEncryptionKey(dataDir);
    const facts = restoreFolder(file, dataDir, (check) => {
      if (key !== undefined && check !== null) {
        refuseUnlessFits(check, createSecretBox(key, systemRandom));
      }
    });
    return { ...facts, hasKey: key !== undefined };
  },
};
