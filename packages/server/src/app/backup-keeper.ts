import type { BackupKeeper } from "../cli/surroundings/backup-keeper.ts";
import { createKeyring } from "../platform/keyring.ts";
import { systemRandom } from "../platform/random.ts";
import { backUpFolder } from "../storage/sqlite/backup/back-up-folder.ts";
import { restoreFolder } from "../storage/sqlite/backup/restore-folder.ts";
import { openCheck, refuseMissingKeys } from "./first-start/check-encryption-key.ts";
import { makeDataFolder } from "./first-start/data-folder.ts";
import { givenKeys } from "./first-start/take-encryption-keys.ts";

export const backupKeeper: BackupKeeper = {
  backUp: (dataDir, file, onCopied) => backUpFolder(dataDir, file, { onCopied }),

  async restore({ file, ...settings }) {
    const { dataDir } = settings;
    makeDataFolder(dataDir);
    const { current, others } = givenKeys(settings);
    const facts = restoreFolder(file, dataDir, (check, keyIds) => {
      if (current === undefined) return;
      const keyring = createKeyring({ current, others, random: systemRandom });
      refuseMissingKeys(keyIds, keyring);
      if (check !== null) openCheck(check, keyring);
    });
    return { ...facts, hasKey: current !== undefined };
  },
};
