// Keys sealed by the system's keyring. Where there is none, or one that only pretends, there is no box: the app then
// says so and keeps keys in a file that only their owner may read.

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

/** Tells what this box sealed from what another did. */
const sealedPrefix = "safe-storage:";
/** They seal with a password that is the same everywhere. */
const insecureBackends: readonly string[] = ["basic_text", "unknown"];

/** To be called when Electron is ready. */
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
      throw new AppError(
        "internal",
        "The system's keyring did not take the key: unlock it, and try again.",
        { cause },
      );
    }
  }
  return {
    seal,
    async open(sealed, renew) {
      if (!sealed.startsWith(sealedPrefix)) throw new Error("it was sealed by something else");
      const { result, shouldReEncrypt } = await storage.decryptStringAsync(
        Buffer.from(sealed.slice(sealedPrefix.length), "base64"),
      );
      // The text is there all the same where it cannot be sealed anew.
      if (shouldReEncrypt && renew !== undefined) await seal(result).then(renew, () => {});
      return result;
    },
  };
}
