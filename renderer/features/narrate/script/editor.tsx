// The script as a page to write on: a plain text field, with its sentences' marks behind it and their voices beside it.

import "./editor.css";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../../messages/messages.ts";
import { TextBox } from "../../../ui/text-box.tsx";
import { useNarration, useScript, useView } from "../use-narration.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { placeAt } from "./placing.ts";
import { isMade } from "./sentence-news.ts";
import { SentenceMenu } from "./sentence-menu.tsx";

/** After typing or scrolling by hand the page stays where it is for so long. */
const handsOffMs = 4000;

export function Editor() {
  const { open } = useNarration();
  const script = useScript((state) => state.script);
  const sentences = useScript((state) => state.sentences);
  const stale = useScript((state) => state.stale);
  const spokenId = useView((view) => view.spokenId);
  const revealed = useView((view) => view.revealed);
  const chosenId = useView((view) => view.chosenId);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const behind = useRef<HTMLDivElement>(null);
  const mirror = useRef<Mirror>(undefined);
  const scrolledAtMs = useRef(-Infinity);
  const [menuTop, setMenuTop] = useState<number>();

  useLayoutEffect(() => {
    if (behind.current === null) return undefined;
    const own = createMirror(behind.current);
    const element = behind.current;
    mirror.current = own;
    return () => {
      own.close();
      element.replaceChildren();
    };
  }, []);
  useEffect(() => {
    // An empty page is there to be written on.
    if (open.store.getState().script === "") field.current?.focus();
  }, [open]);
  useLayoutEffect(() => mirror.current?.setText(script), [script]);
  useLayoutEffect(() => {
    mirror.current?.mark("made", sentences.filter(isMade));
    mirror.current?.mark(
      "missed",
      sentences.filter(({ missed }) => missed !== undefined && missed.length > 0),
    );
    mirror.current?.setVoices(sentences);
  }, [script, sentences]);
  useLayoutEffect(
    () =>
      mirror.current?.mark(
        "stale",
        sentences.filter(({ id }) => stale.has(id)),
      ),
    [script, sentences, stale],
  );
  useLayoutEffect(
    () =>
      mirror.current?.mark(
        "spoken",
        sentences.filter(({ id }) => id === spokenId),
      ),
    [script, sentences, spokenId],
  );

  const show = useCallback(
    (id: string | undefined): void => {
      const sentence = open.store.getState().sentences.find((each) => each.id === id);
      const box = sentence && mirror.current?.boxOf(sentence);
      const view = scroller.current?.getBoundingClientRect();
      if (
        box === undefined ||
        view === undefined ||
        (box.top >= view.top && box.bottom <= view.bottom)
      )
        return;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      scroller.current?.scrollBy({
        top: box.top - view.top - view.height / 3,
        behavior: calm ? "auto" : "smooth",
      });
    },
    [open],
  );
  useEffect(() => {
    if (spokenId !== undefined && performance.now() - scrolledAtMs.current > handsOffMs)
      show(spokenId);
  }, [spokenId, show]);
  useEffect(() => {
    if (revealed === undefined) return;
    show(revealed.id);
    const sentence = open.store.getState().sentences.find(({ id }) => id === revealed.id);
    if (sentence === undefined) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(sentence.start, sentence.start);
  }, [revealed, show, open]);

  const choose = useCallback(() => {
    const at = field.current?.selectionStart ?? 0;
    const { sentences: now } = open.store.getState();
    open.view.setState({ chosenId: now[placeAt(now, at)]?.id });
  }, [open]);
  // The caret's sentence has its menu beside it.
  const chosen = sentences.find(({ id }) => id === chosenId);
  useLayoutEffect(() => {
    const box = chosen && mirror.current?.boxOf(chosen);
    const origin = behind.current?.getBoundingClientRect();
    setMenuTop(box === undefined || origin === undefined ? undefined : box.top - origin.top);
  }, [chosen, script]);
  useEffect(() => {
    // A sentence that was rewritten is another one.
    if (chosenId !== undefined && chosen === undefined) choose();
  }, [chosenId, chosen, choose]);

  return (
    <div
      className="script"
      ref={scroller}
      onWheel={() => (scrolledAtMs.current = performance.now())}
    >
      <div className="script-page">
        <div className="script-mirror script-text" ref={behind} aria-hidden />
        <TextBox
          ref={field}
          className="script-field script-text"
          aria-label={t("narrate.script")}
          placeholder={t("narrate.script.placeholder")}
          value={script}
          spellCheck
          onChange={(event) => open.store.setScript(event.currentTarget.value)}
          onSelect={choose}
          onKeyDown={() => (scrolledAtMs.current = performance.now())}
        />
        {chosen !== undefined && menuTop !== undefined && (
          <div className="script-menu" style={{ "--at": `${menuTop}px` }}>
            <SentenceMenu sentence={chosen} />
          </div>
        )}
      </div>
    </div>
  );
}
