// Authentication of the window port: a one-time code is exchanged for a cookie that scripts cannot read. Both are
// random and stored only as digests in memory, so a restart ends all sessions.

import { hash, randomBytes } from "node:crypto";

export interface Sessions {
  /** Valid once and for ten minutes. */
  createCode(): string;
  /** Set-Cookie value of a new session; undefined if the code is unknown, used or expired. */
  redeem(code: string): string | undefined;
  /** Set-Cookie value that removes the cookie of an earlier run, below that run's path. */
  clearCookie(previousPath: string): string;
  /** Whether one of the request's cookies is a valid session. */
  hasValidSession(cookieHeader: string | null): boolean;
}

const codeLifetimeMs = 10 * 60_000;
/** A browser that was closed keeps its session while the app runs. */
const cookieLifetimeSec = 30 * 86_400;

const createSecret = (): string => randomBytes(32).toString("base64url");
/** Comparing digests makes timing reveal nothing about the secret. */
const digestOf = (secret: string): string => hash("sha256", secret, "hex");

export type SessionsOptions = {
  /** Part of the cookie's name, since cookies are separated by host, not by port. */
  installId: string;
  /** Browsers send the cookie only below this path, but to any port. */
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
