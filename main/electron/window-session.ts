// Sets the session cookie for the window port before a page loads, so that the secret is in no URL and no process
// argument.

import type { Session } from "electron";

/**
 * @param launchUrl single-use URL of the window port that returns a session
 * @throws Error if it returns none
 */
export async function openWindowSession(session: Session, launchUrl: string): Promise<void> {
  const { headers } = await fetch(launchUrl, { redirect: "manual" });
  const [, name, value, path] =
    /^([^=;]+)=([^;]*); Path=([^;]+)/.exec(headers.getSetCookie()[0] ?? "") ?? [];
  if (name === undefined || value === undefined || path === undefined)
    throw new Error("the window port returned no session");
  // A session cookie without expiry: valid while the app runs.
  await session.cookies.set({
    url: new URL(path, launchUrl).href,
    name,
    value,
    path,
    httpOnly: true,
    sameSite: "strict",
  });
}
