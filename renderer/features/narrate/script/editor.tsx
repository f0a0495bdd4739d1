// Script editor: a plain text field, with a mirror behind it for sentence marks and voices in the margin.

import "./editor.css";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { TextBox } from "../../../ui/text-box.tsx";
import { useNarration, useScript, useView } from "../use-narration.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { rangeIndexAt } from "./text-ranges.ts";
import { isGenerated } from "./sentence-updates.ts";
import { SentenceMenu } from "./sentence-menu.tsx";

/** Automatic scrolling pauses this long after typing or scrolling by hand. */
const autoScrollPauseMs = 4000;

export function Editor() {
  const { open } = useNarration();
  const script = useScript((state) => state.script);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const mirrorElement = useRef<HTMLDivElement>(null);
  const mirror = useMirror(mirrorElement);
  useEffect(() => {
    // An empty page gets the focus, for typing at once.
    if (open.store.getState().script === "") field.current?.focus();
  }, [open]);
  const { onUserInput } = useAutoScroll({ mirror, scroller, field });
  const { selectedSentence, selectCaretSentence } = useCaretSentence(field);
  const menuTop = useMenuTop(selectedSentence, mirror, mirrorElement);
  return (
    <div
      className="script"
      ref={scroller}
      onWheel={onUserInput}
      onScroll={() => mirror.current?.paintVisibleMarks()}
    >
      <div className="script-page">
        <div className="script-mirror script-text" ref={mirrorElement} aria-hidden />
        <TextBox
          ref={field}
          className="script-field script-text"
          aria-label={t("narrate.script")}
          placeholder={t("narrate.script.placeholder")}
          value={script}
          spellCheck
          onChange={(event) => open.store.setScript(event.currentTarget.value)}
          onSelect={selectCaretSentence}
          onKeyDown={onUserInput}
        />
        {selectedSentence !== undefined && menuTop !== undefined && (
          <div className="script-menu" style={{ "--at": `${menuTop}px` }}>
            <SentenceMenu sentence={selectedSentence} />
          </div>
        )}
      </div>
    </div>
  );
}

type MirrorRef = RefObject<Mirror | undefined>;

/** Keeps the mirror's text and marks up to date. */
function useMirror(mirrorElement: RefObject<HTMLDivElement | null>): MirrorRef {
  const script = useScript((state) => state.script);
  const sentences = useScript((state) => state.sentences);
  const stale = useScript((state) => state.stale);
  const playingSentenceId = useView((view) => view.playingSentenceId);
  const mirror = useRef<Mirror>(undefined);
  useLayoutEffect(() => {
    if (mirrorElement.current === null) return undefined;
    const newMirror = createMirror(mirrorElement.current);
    const element = mirrorElement.current;
    mirror.current = newMirror;
    return () => {
      newMirror.close();
      element.replaceChildren();
    };
  }, [mirrorElement]);
  useLayoutEffect(() => mirror.current?.setText(script), [script]);
  useLayoutEffect(() => {
    mirror.current?.mark("generated", sentences.filter(isGenerated));
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
        sentences.filter(({ id }) => id === playingSentenceId),
      ),
    [script, sentences, playingSentenceId],
  );
  return mirror;
}

/** Scrolls to the sentence that is playing, unless the user types or scrolls, and to those that other parts request. */
function useAutoScroll({
  mirror,
  scroller,
  field,
}: {
  mirror: MirrorRef;
  scroller: RefObject<HTMLDivElement | null>;
  field: RefObject<HTMLTextAreaElement | null>;
}) {
  const { open } = useNarration();
  const playingSentenceId = useView((view) => view.playingSentenceId);
  const scrollTarget = useView((view) => view.scrollTarget);
  const lastInputMs = useRef(-Infinity);
  const scrollToSentence = useCallback(
    (id: string | undefined): void => {
      const sentence = open.store.getState().sentences.find((each) => each.id === id);
      const box = sentence && mirror.current?.rectOf(sentence);
      const view = scroller.current?.getBoundingClientRect();
      if (
        box === undefined ||
        view === undefined ||
        (box.top >= view.top && box.bottom <= view.bottom)
      )
        return;
      const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
      scroller.current?.scrollBy({
        top: box.top - view.top - view.height / 3,
        behavior: prefersReducedMotion ? "auto" : "smooth",
      });
    },
    [open, mirror, scroller],
  );
  useEffect(() => {
    if (
      playingSentenceId !== undefined &&
      performance.now() - lastInputMs.current > autoScrollPauseMs
    )
      scrollToSentence(playingSentenceId);
  }, [playingSentenceId, scrollToSentence]);
  useEffect(() => {
    if (scrollTarget === undefined) return;
    scrollToSentence(scrollTarget.id);
    const sentence = open.store.getState().sentences.find(({ id }) => id === scrollTarget.id);
    if (sentence === undefined) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(sentence.start, sentence.start);
  }, [scrollTarget, scrollToSentence, open, field]);
  return { onUserInput: () => void (lastInputMs.current = performance.now()) };
}

/** The sentence with the caret. */
function useCaretSentence(field: RefObject<HTMLTextAreaElement | null>) {
  const { open } = useNarration();
  const sentences = useScript((state) => state.sentences);
  const selectedSentenceId = useView((view) => view.selectedSentenceId);
  const selectedSentence = sentences.find(({ id }) => id === selectedSentenceId);
  const selectCaretSentence = useCallback(() => {
    const at = field.current?.selectionStart ?? 0;
    const { sentences: currentSentences } = open.store.getState();
    open.view.setState({
      selectedSentenceId: currentSentences[rangeIndexAt(currentSentences, at)]?.id,
    });
  }, [open, field]);
  useEffect(() => {
    // A rewritten sentence has a new id.
    if (selectedSentenceId !== undefined && selectedSentence === undefined) selectCaretSentence();
  }, [selectedSentenceId, selectedSentence, selectCaretSentence]);
  return { selectedSentence, selectCaretSentence };
}

/** Where the menu is placed: next to the sentence with the caret. */
function useMenuTop(
  sentence: NarrationSentence | undefined,
  mirror: MirrorRef,
  mirrorElement: RefObject<HTMLDivElement | null>,
): number | undefined {
  const script = useScript((state) => state.script);
  const [menuTop, setMenuTop] = useState<number>();
  useLayoutEffect(() => {
    const box = sentence && mirror.current?.rectOf(sentence);
    const origin = mirrorElement.current?.getBoundingClientRect();
    setMenuTop(box === undefined || origin === undefined ? undefined : box.top - origin.top);
  }, [sentence, script, mirror, mirrorElement]);
  return menuTop;
}
