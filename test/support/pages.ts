// The pages of the window as tests walk through them.

import type { Page } from "playwright-core";
import type { Content } from "./filled-app.ts";
import type { WatchedPage } from "./whole-app.ts";

export const themes = ["light", "dark"] as const;

export type Scene = {
  name: string;
  /** Some show a thing of the library. */
  path(content: Content): string;
  /** What is opened in it. */
  act?(page: Page): Promise<void>;
};

const at = (path: string) => (): string => path;
const transcript = ({ transcript: { id } }: Content): string => `/transcribe/${id}`;
const narration = ({ narration: { id } }: Content): string => `/narrate/${id}`;
const press =
  (...keys: string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
const click =
  (role: "button" | "radio", name: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole(role, { name, exact: true }).click();

export const pages: readonly Scene[] = [
  { name: "welcome", path: at("/welcome") },
  { name: "transcribe", path: at("/transcribe") },
  { name: "transcript", path: transcript },
  { name: "narrate", path: at("/narrate") },
  { name: "narration", path: narration },
  { name: "library", path: at("/library") },
  { name: "models", path: at("/models") },
  { name: "channels", path: at("/channels") },
  { name: "server", path: at("/server") },
  { name: "settings", path: at("/settings") },
];

export const opened: readonly Scene[] = [
  {
    name: "transcribe-options",
    path: at("/transcribe"),
    act: click("button", /^Transcription options/),
  },
  { name: "transcript-doubts", path: transcript, act: press("d") },
  { name: "transcript-find", path: transcript, act: press("Control+f", "m", "a") },
  { name: "transcript-again", path: transcript, act: press("h") },
  { name: "transcript-export", path: transcript, act: click("button", "Export") },
  { name: "narration-words", path: narration, act: click("radio", "Pronunciation") },
  { name: "narration-check", path: narration, act: click("radio", "Check") },
  { name: "narration-export", path: narration, act: press("e") },
  { name: "library-search", path: at("/library"), act: press("/", "k", "e", "t", "t", "l", "e") },
  { name: "library-replace", path: at("/library"), act: press("h") },
  { name: "library-selection", path: at("/library"), act: press("Control+a") },
  { name: "models-details", path: at("/models"), act: click("button", "whisper-1") },
  { name: "models-names", path: at("/models"), act: click("radio", "Aliases") },
  { name: "models-compare", path: at("/models"), act: click("radio", "Try and compare") },
  { name: "channels-add", path: at("/channels"), act: press("n") },
  { name: "channels-edit", path: at("/channels"), act: click("button", /^Workstation/) },
  { name: "server-keys", path: at("/server/keys") },
  { name: "server-usage", path: at("/server/usage") },
  { name: "server-requests", path: at("/server/requests") },
  {
    name: "settings-end",
    path: at("/settings"),
    act: (page) =>
      page.locator(".page-body").evaluate((body) => body.scrollTo(0, body.scrollHeight)),
  },
  { name: "palette", path: at("/library"), act: press("Control+k") },
  { name: "keys", path: at("/library"), act: press("?") },
];

/** Opens what a scene shows. */
export async function show(
  { path, act }: Scene,
  content: Content,
  open: (path: string) => Promise<WatchedPage>,
): Promise<WatchedPage> {
  const page = await open(path(content));
  await settled(page);
  if (act === undefined) return page;
  await act(page);
  await settled(page);
  return page;
}

/** Resolves when a page has loaded what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("#root h1", { timeout: 10_000 });
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Until nothing was painted anew for a while.
    let changes = 0;
    const observer = new MutationObserver(() => (changes += 1));
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    for (let quietFrames = 0, frames = 0; quietFrames < 20 && frames < 200; frames += 1) {
      const before = changes;
      await new Promise((next) => requestAnimationFrame(next));
      quietFrames = changes === before ? quietFrames + 1 : 0;
    }
    observer.disconnect();
  });
}

/** The longest the page took to show a frame while something was done. */
export async function worstFrameMs(page: Page, act: () => Promise<void>): Promise<number> {
  const frames = await page.evaluateHandle(() => {
    const state = { worstMs: 0, isOver: false };
    let lastMs = performance.now();
    const next = (nowMs: number): void => {
      state.worstMs = Math.max(state.worstMs, nowMs - lastMs);
      lastMs = nowMs;
      if (!state.isOver) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    return state;
  });
  await act();
  return frames.evaluate((state) => {
    state.isOver = true;
    return state.worstMs;
  });
}
