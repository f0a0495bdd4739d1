// Who may use the window port: a code that works once is traded for a cookie that no script can read. Both are random
// and kept as digests, in memory alone: a restart ends every session.

import { hash, randomBytes } from "node:crypto";

export interface Sessions {
  /** For one use within ten minutes. */
  createCode(): string;
  /** Value of the Set-Cookie header of a new session; undefined where the code is unknown, used or old. */
  redeem(code: string): string | undefined;
  /** Value of a Set-Cookie header that removes what an earlier run of the app left below its own path. */
  clearCookie(previousPath: string): string;
  /** Is there a session among the cookies of a request? */
  hasValidSession(cookieHeader: string | null): boolean;
}

const codeLifetimeMs = 10 * 60_000;
/** A browser that was closed finds its way back as long as the app runs. */
const cookieLifetimeSec = 30 * 86_400;

const createSecret = (): string => randomBytes(32).toString("base64url");
/** Compared as digests: how long that takes tells nothing of the secret. */
const digestOf = (secret: string): string => hash("sha256", secret, "hex");

export type SessionsOptions = {
  /** Tells this app's cookie from another's: cookies are told apart by host, not by port. */
  installId: string;
  /** Browsers send the cookie below this path alone, at any port. */
  path: string;
  now?(): number;
};

export function createSessions({ installId, path, now = Date.now }: SessionsOptions): Sessions {
  const cookieName = `hearsay_${installId}`;
  const codes = new Map<string, { expiresAtMs: number }>();
  const sessions = new Set<string>();
  return {
    createCode() {
      for (const [digest, { expiresAtMs }] of codes) if (expiresAtMs < now()) codes.delete(digest);
      const code = createSecret();
      codes.set(digestOf(code), { expiresAtMs: now() + codeLifetimeMs });
      return code;
    },
    redeem(code) {
      const digest = digestOf(code);
      const entry = codes.get(digest);
      codes.delete(digest);
      if (entry === undefined || entry.expiresAtMs < now()) return undefined;
      const session = createSecret();
      sessions.add(digestOf(session));
      return `${cookieName}=${session}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${cookieLifetimeSec}`;
    },
    clearCookie: (previousPath) =>
      `${cookieName}=; Path=${previousPath}; HttpOnly; SameSite=Strict; Max-Age=0`,
    hasValidSession(cookieHeader) {
      const values = (cookieHeader ?? "")
        .split(";")
        .map((pair) => pair.trim().split("="))
        .filter(([name]) => name === cookieName);
      return values.some(([, value = ""]) => sessions.has(digestOf(value)));
    },
  };
}
