// Encrypts keys with the system's keyring. Without a secure keyring there is no box: the app then says so and stores
// keys in a file that only its owner may read.

import type { SafeStorage } from "electron";
import { AppError } from "../contract/errors.ts";
import type { SecretBox } from "../platform.ts";

export type SealingStorage = Pick<
  SafeStorage,
  | "isAsyncEncryptionAvailable"
  | "encryptStringAsync"
  | "decryptStringAsync"
  | "getSelectedStorageBackend"
>;

/** Identifies text encrypted by this box. */
const sealedPrefix = "safe-storage:";
/** They encrypt with a password that is the same on all machines. */
const insecureBackends: readonly string[] = ["basic_text", "unknown"];

/** Call it when Electron is ready. */
export async function createSecretBox(
  storage: SealingStorage,
  system: NodeJS.Platform = process.platform,
): Promise<SecretBox | undefined> {
  if (system === "linux" && insecureBackends.includes(storage.getSelectedStorageBackend()))
    return undefined;
  if (!(await storage.isAsyncEncryptionAvailable().catch(() => false))) return undefined;
  async function seal(text: string): Promise<string> {
    try {
      return sealedPrefix + (await storage.encryptStringAsync(text)).toString("base64");
    } catch (cause) {
      throw new AppError("app.keyringRefused", {}, { cause });
    }
  }
  return {
    seal,
    async open(sealed, renew) {
      if (!sealed.startsWith(sealedPrefix)) throw new Error("it was not encrypted by this keyring");
      const { result, shouldReEncrypt } = await storage.decryptStringAsync(
        Buffer.from(sealed.slice(sealedPrefix.length), "base64"),
      );
      // If encrypting it again fails, the text is still returned.
      if (shouldReEncrypt && renew !== undefined) await seal(result).then(renew, () => {});
      return result;
    },
  };
}
