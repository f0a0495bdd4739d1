// The window's frame in a real browser: first start, keyboard navigation, palette, persistent settings.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let page: WatchedPage;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  page = await whole.open({ path: "/" });
}, 180_000);
afterAll(() => whole?.close());

const title = () => page.getByRole("heading", { level: 1 });
const label = () =>
  page
    .getByRole("complementary", { name: "Player" })
    .getByRole("button", { name: /^(Play|Pause)$/ })
    .getAttribute("aria-label");

describe.skipIf(none)("the frame (needs Chromium)", () => {
  it("shows the welcome page at the first start, synthesizes a sentence and transcribes it", async () => {
    await expect.poll(() => title().textContent()).toBe("Welcome");
    await page.getByLabel("Sentence to speak").fill("The weather is nice today.");
    await page.getByRole("button", { name: "Speak" }).click();
    const player = page.getByRole("complementary", { name: "Player" });
    await player.waitFor();
    for (const name of ["Back 5 seconds", "Forward 5 seconds"])
      expect(await player.getByRole("button", { name }).textContent()).toBe("5");
    await page.getByRole("button", { name: "Transcribe" }).click();
    await page.getByText("Transcript:").waitFor();
    expect(await page.getByRole("status").textContent()).toMatch(/weather is nice today/i);
  });

  it("plays on the space bar, also after a button was clicked", async () => {
    await page.getByRole("button", { name: "Get started" }).focus();
    await page.getByRole("heading", { name: "Or drop a recording" }).click();
    const before = await label();
    await page.keyboard.press("Space");
    await expect.poll(label).not.toBe(before);
  });

  it("leaves the welcome page permanently", async () => {
    await page.getByRole("button", { name: "Get started" }).click();
    await expect.poll(() => title().textContent()).toBe("Transcribe");
    await expect.poll(async () => (await whole.call("readPreferences")).hasSeenWelcome).toBe(true);
  });

  it("goes to pages by key sequences, and by name in the palette", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await expect.poll(() => title().textContent()).toBe("Server");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("setti");
    await page.keyboard.press("Enter");
    await expect.poll(() => title().textContent()).toBe("Settings");
  });

  it("keeps the palette that is opened again right after a command", async () => {
    const wasOpen = await page.evaluate(async () => {
      const palette = document.querySelector<HTMLDialogElement>("dialog.palette")!;
      const press = async (target: EventTarget, init: KeyboardEventInit): Promise<boolean> => {
        target.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...init }));
        // React renders in microtasks; the browser reports a closed dialog in a task, thus later.
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        return palette.open;
      };
      const open = () => press(document.body, { key: "k", code: "KeyK", ctrlKey: true });
      const closed = new Promise((resolve) =>
        palette.addEventListener("close", resolve, { once: true }),
      );
      const states = [
        await open(),
        await press(palette.querySelector("input")!, { key: "Enter" }),
        await open(),
      ];
      await closed;
      return [...states, await press(document.body, { key: "Shift" })];
    });
    expect(wasOpen).toEqual([true, false, true, true]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").isVisible()).toBe(false);
  });

  it("runs commands of other pages and settings from any page", async () => {
    const command = async (name: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
    };
    await command("theme dark");
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset["theme"]))
      .toBe("dark");
    await command("theme light");
    await command("new narration");
    await page.waitForSelector(".script-field");
    await command("voice settings pronunciation");
    await expect
      .poll(() => page.getByRole("radio", { name: "Pronunciation" }).isChecked())
      .toBe(true);
    await command("rename");
    await page.locator(".title-field:focus").waitFor();
    await page.keyboard.type("From the palette");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => (await whole.call("listItems")).items.map((item) => item.title))
      .toContain("From the palette");
    // The undo button of the previous page is gone, the window's own undo still works.
    await command("library");
    await page.getByRole("link", { name: "From the palette" }).waitFor();
    await command("rename");
    await page.locator(".library-edit input:focus").waitFor();
    await page.keyboard.type("By the row");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "By the row" }).waitFor();
    await command("remove");
    await page.getByText("“By the row” was removed").waitFor();
    await command("undo");
    await page.getByRole("link", { name: "By the row" }).waitFor();
    await command("settings");
    await expect.poll(() => title().textContent()).toBe("Settings");
  });

  it("shows the shortcuts on ? and closes them on Escape", async () => {
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").isVisible()).toBe(false);
  });

  it("keeps theme and language across a reload", async () => {
    await page.getByRole("radio", { name: "Dark" }).click();
    await page.getByLabel("Interface language").selectOption("de");
    await expect.poll(() => title().textContent()).toBe("Einstellungen");
    await expect.poll(async () => (await whole.call("readPreferences")).language).toBe("de");
    await page.reload();
    await expect.poll(() => title().textContent()).toBe("Einstellungen");
    expect(
      await page.evaluate(() => [
        document.documentElement.lang,
        document.documentElement.dataset["theme"],
      ]),
    ).toEqual(["de", "dark"]);
  });

  it("speaks French, also in an error of the app", async () => {
    await whole.call("createKey", { name: "Radio" });
    await page.getByLabel("Sprache der Oberfläche").selectOption("fr");
    await expect.poll(() => title().textContent()).toBe("Réglages");
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("fr");
    await page.evaluate(() => (location.hash = "/server/keys"));
    await expect.poll(() => title().textContent()).toBe("Serveur");
    await page.getByRole("button", { name: "Nouvelle clé" }).click();
    await page.getByLabel("Nom").fill("Radio");
    await page.getByRole("button", { name: "Créer la clé" }).click();
    await page.getByText("Il existe déjà une clé nommée «\u202fRadio\u202f».").waitFor();
    await page.evaluate(() => (location.hash = "/settings"));
    await page.getByLabel("Langue de l’interface").selectOption("en");
    await expect.poll(() => title().textContent()).toBe("Settings");
  });

  it("changes a number by slider, by key and by typing", async () => {
    const slider = page.getByRole("slider", { name: "Speed" });
    await slider.press("ArrowRight");
    expect(await slider.getAttribute("aria-valuetext")).toBe("1.05×");
    await page.getByRole("textbox", { name: "Speed" }).fill("1,5");
    await page.keyboard.press("Enter");
    expect(await slider.getAttribute("aria-valuetext")).toBe("1.50×");
    await expect.poll(async () => (await whole.call("readPreferences")).narrate.speed).toBe(1.5);
  });

  it("sends files that are dropped anywhere to their page", async () => {
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Call me Ishmael."], "moby.txt", { type: "text/plain" }));
      for (const type of ["dragenter", "dragover", "drop"])
        document.body.dispatchEvent(
          new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
        );
    });
    await expect.poll(() => title().textContent()).toBe("moby");
  });

  it("refuses files where they are dropped, by name, once, and in the language of the moment", async () => {
    const dropDocument = () =>
      page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["?"], "letter.xyz"));
        for (const type of ["dragenter", "dragover", "drop"])
          document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
          );
      });
    for (let count = 0; count < 3; count += 1) await dropDocument();
    await page
      .getByText(/^“letter\.xyz” cannot be used here\. Accepted here: texts \(txt/)
      .waitFor();
    expect(await page.locator(".toast-bad").count()).toBe(1);
    expect(await title().textContent()).toBe("moby");
    await whole.call("changePreferences", { language: "de" });
    await page.getByText("„letter.xyz“ kann hier nicht verwendet werden.").waitFor();
    await whole.call("changePreferences", { language: "en" });
    await page.getByText("“letter.xyz” cannot be used here.").waitFor();
    await page.locator(".toast-bad").getByRole("button", { name: "Dismiss" }).click();
    await page.locator(".toast-bad").waitFor({ state: "detached" });
  });

  it("logged no errors but the one that was provoked", () => {
    const conflict = "the server responded with a status of 409";
    expect(page.pageErrors.filter((complaint) => !complaint.includes(conflict))).toEqual([]);
  });
});
