// The pages of the window as tests walk through them.

import type { Page } from 'playwright-core';
import type { Content } from './filled-app.ts';

export const themes = ['light', 'dark'] as const;

/** Name → where it is; some show a thing of the library. */
export const pagesOf = ({ transcript, narration }: Content): Readonly<Record<string, string>> => ({
  welcome: '/welcome',
  transcribe: '/transcribe',
  transcript: `/transcribe/${transcript.id}`,
  narrate: '/narrate',
  narration: `/narrate/${narration.id}`,
  library: '/library',
  models: '/models',
  channels: '/channels',
  server: '/server',
  settings: '/settings',
});

/** Resolves when a page has loaded what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('#root h1', { timeout: 10_000 });
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Until nothing was painted anew for a while.
    let changes = 0;
    const observer = new MutationObserver(() => (changes += 1));
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
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
