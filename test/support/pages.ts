// The pages of the window, as scenes for tests.

import type { Locator, Page } from "playwright";
import type { SampleContent } from "./filled-app.ts";
import type { WatchedPage } from "./app-with-window.ts";

export const themes = ["light", "dark"] as const;

export type Scene = {
  name: string;
  /** Some scenes show an item of the library. */
  path(content: SampleContent): string;
  /** Opens a panel or dialog of the page. */
  action?(page: Page): Promise<void>;
};

const fixedPath = (path: string) => (): string => path;
const transcript = ({ transcript: { id } }: SampleContent): string => `/transcribe/${id}`;
const narration = ({ narration: { id } }: SampleContent): string => `/narrate/${id}`;
const script = ({ script: { id } }: SampleContent): string => `/narrate/${id}`;
const press =
  (...keys: string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
const click =
  (role: "button" | "radio", name: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole(role, { name, exact: true }).click();

const choose =
  (label: string, value: string) =>
  async (page: Page): Promise<void> => {
    await page.getByLabel(label, { exact: true }).selectOption(value);
  };

/** A tab of a narration's panel, which is a sheet in narrow windows. */
const openTab =
  (name: string) =>
  async (page: Page): Promise<void> => {
    const sheetButton = page.locator(".narration-header-sheet");
    if (await sheetButton.isVisible()) await sheetButton.click();
    await click("radio", name)(page);
  };

export const pageScenes: readonly Scene[] = [
  { name: "welcome", path: fixedPath("/welcome") },
  { name: "transcribe", path: fixedPath("/transcribe") },
  { name: "transcript", path: transcript },
  { name: "narrate", path: fixedPath("/narrate") },
  { name: "narration", path: narration },
  { name: "library", path: fixedPath("/library") },
  { name: "models", path: fixedPath("/models") },
  { name: "channels", path: fixedPath("/channels") },
  { name: "server", path: fixedPath("/server") },
  { name: "settings", path: fixedPath("/settings") },
  { name: "departures", path: fixedPath("/settings/departures") },
];

export const openedScenes: readonly Scene[] = [
  {
    name: "transcribe-options",
    path: fixedPath("/transcribe"),
    action: click("button", /^Transcription options/),
  },
  {
    name: "transcribe-input",
    path: fixedPath("/transcribe"),
    action: click("button", /^Record from: /),
  },
  { name: "transcript-low-confidence", path: transcript, action: press("d") },
  { name: "transcript-find", path: transcript, action: press("Control+f", "m", "a") },
  { name: "transcript-again", path: transcript, action: press("h") },
  // The waveform is zoomed, too.
  { name: "transcript-speaker", path: transcript, action: press("+", "+", "s") },
  { name: "transcript-export", path: transcript, action: click("button", "Export") },
  {
    name: "narration-blend",
    path: script,
    action: async (page) => {
      await openTab("Voice")(page);
      await page.getByText("Blend two voices").click();
    },
  },
  {
    name: "narration-speaker",
    path: script,
    action: (page) =>
      page
        .getByRole("button", { name: /^Speaker: / })
        .nth(1)
        .click(),
  },
  {
    name: "narration-cast",
    path: script,
    action: async (page) => {
      await openTab("Cast")(page);
      await page.getByText("Name, speed, pauses, loudness").first().click();
    },
  },
  {
    name: "narration-sheet",
    path: script,
    action: async (page) => {
      await page.setViewportSize({ width: 480, height: 800 });
      await click("button", "Voice settings")(page);
    },
  },
  { name: "narration-words", path: narration, action: openTab("Pronunciation") },
  { name: "narration-check", path: narration, action: openTab("Check") },
  { name: "narration-export", path: narration, action: press("e") },
  {
    name: "library-search",
    path: fixedPath("/library"),
    action: press("/", "k", "e", "t", "t", "l", "e"),
  },
  { name: "library-replace", path: fixedPath("/library"), action: press("h") },
  { name: "library-selection", path: fixedPath("/library"), action: press("Control+a") },
  {
    name: "models-here",
    path: fixedPath("/models?language=fr&task=transcribe"),
    action: choose("Where", "here"),
  },
  { name: "models-details", path: fixedPath("/models"), action: click("button", "Whisper base") },
  {
    name: "models-licence",
    path: fixedPath("/models?language=zh"),
    action: (page) => page.getByRole("button", { name: "Get SenseVoice small" }).last().click(),
  },
  { name: "models-defaults", path: fixedPath("/models/defaults") },
  { name: "models-names", path: fixedPath("/models"), action: click("radio", "Aliases") },
  { name: "models-compare", path: fixedPath("/models"), action: click("radio", "Try and compare") },
  { name: "channels-add", path: fixedPath("/channels"), action: press("n") },
  { name: "channels-edit", path: fixedPath("/channels"), action: click("button", /^Workstation/) },
  { name: "server-keys", path: fixedPath("/server/keys") },
  { name: "server-usage", path: fixedPath("/server/usage") },
  { name: "server-requests", path: fixedPath("/server/requests") },
  {
    name: "departures-clear",
    path: fixedPath("/settings/departures"),
    action: click("button", "Clear list"),
  },
  {
    name: "settings-end",
    path: fixedPath("/settings"),
    action: (page) =>
      page.locator(".page-body").evaluate((body) => body.scrollTo(0, body.scrollHeight)),
  },
  { name: "palette", path: fixedPath("/library"), action: press("Control+k") },
  { name: "keys", path: fixedPath("/library"), action: press("?") },
];

/** Opens a page and the panel or dialog of its scene. */
export async function openScene(
  { path, action }: Scene,
  content: SampleContent,
  open: (path: string) => Promise<WatchedPage>,
): Promise<WatchedPage> {
  const page = await open(path(content));
  await waitUntilSettled(page);
  if (action === undefined) return page;
  await action(page);
  await waitUntilSettled(page);
  return page;
}

/** Resolves when a page has loaded its content. */
export async function waitUntilSettled(page: Page): Promise<void> {
  await page.waitForSelector("#root h1", { timeout: 10_000 });
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Wait until nothing has been repainted for a while.
    let changes = 0;
    const observer = new MutationObserver(() => (changes += 1));
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    for (let quietFrames = 0, frames = 0; quietFrames < 12 && frames < 200; frames += 1) {
      const before = changes;
      await new Promise((next) => requestAnimationFrame(next));
      quietFrames = changes === before ? quietFrames + 1 : 0;
    }
    observer.disconnect();
  });
}

/** Switches the theme of a settled page; resolves when its colours have changed. */
export async function showTheme(page: Page, theme: (typeof themes)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await waitForTransitions(page);
}

export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node === document.activeElement);

/** Resolves when no colour or position is changing any more. */
export const waitForTransitions = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(next));
    const transitions = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });

/** The longest frame of the page during the action. */
export async function maxFrameMs(page: Page, action: () => Promise<void>): Promise<number> {
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
  await action();
  return frames.evaluate((state) => {
    state.isOver = true;
    return state.worstMs;
  });
}
