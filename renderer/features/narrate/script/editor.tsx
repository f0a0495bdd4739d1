// Script editor: a plain text field, with a mirror behind it for sentence marks and voices in the margin, and chips
// over the marks in the text.

import "./editor.css";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { useAction } from "../../../stores/actions.ts";
import { TextBox } from "../../../ui/text-box.tsx";
import { assignPassage } from "../cast/speaker-marks.ts";
import type { SpeakerChoice } from "../cast/speaker-list.tsx";
import { unusedVoice, useSpeakers } from "../cast/use-speakers.ts";
import { useNarration, useScript, useView } from "../use-narration.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { rangeIndexAt } from "./text-ranges.ts";
import { isGenerated } from "./sentence-updates.ts";
import { replaceText } from "./replace-text.ts";
import { marginOf, ScriptMarks } from "./script-marks.tsx";
import { SentenceMenu } from "./sentence-menu.tsx";
import { SpeakerSuggestions, useSpeakerSuggestions } from "./speaker-suggestions.tsx";

/** Automatic scrolling pauses this long after typing or scrolling by hand. */
const autoScrollPauseMs = 4000;

export function Editor() {
  const { open } = useNarration();
  const script = useScript((state) => state.script);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const mirrorElement = useRef<HTMLDivElement>(null);
  const { mirror, layout } = useMirror(mirrorElement);
  const [caret, setCaret] = useState<number>();
  const [typedAt, setTypedAt] = useState<number>();
  const speakers = useSpeakers();
  const suggestions = useSpeakerSuggestions(
    script,
    typedAt === caret ? typedAt : undefined,
    speakers,
  );
  const suggestionBox =
    suggestions.at === undefined || suggestions.found.length === 0
      ? undefined
      : mirror.current?.boxOf({ start: suggestions.at, end: suggestions.at + 1 });
  const casting = useCasting(field, speakers, mirror, caret);
  useEffect(() => {
    // An empty page gets the focus, for typing at once.
    if (open.store.getState().script === "") field.current?.focus();
  }, [open]);
  const getMirror = useCallback(() => mirror.current, [mirror]);
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
          aria-autocomplete="list"
          {...suggestions.attributes}
          onChange={({ currentTarget: { value, selectionStart } }) => {
            open.store.setScript(value);
            suggestions.onTyped();
            setTypedAt(selectionStart);
            setCaret(selectionStart);
          }}
          onSelect={({ currentTarget }) => {
            selectCaretSentence();
            setCaret(currentTarget.selectionStart);
          }}
          onBlur={() => setCaret(undefined)}
          onKeyDown={(event) => {
            onUserInput();
            suggestions.onKeyDown(event);
          }}
        />
        <ScriptMarks
          mirror={getMirror}
          layout={layout}
          script={script}
          caret={caret}
          speakers={speakers}
          {...casting}
        />
        {suggestionBox !== undefined && (
          <SpeakerSuggestions
            suggestions={suggestions}
            box={suggestionBox}
            field={() => field.current}
          />
        )}
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

/** Who speaks a passage, chosen in the margin or on a chip, and the other changes of marks. */
function useCasting(
  field: RefObject<HTMLTextAreaElement | null>,
  speakers: ReturnType<typeof useSpeakers>,
  mirror: MirrorRef,
  caret: number | undefined,
) {
  const { open } = useNarration();
  const [openAt, setOpenAt] = useState<string>();
  const onChange = useCallback(
    (change: Parameters<typeof replaceText>[1]): void => {
      if (field.current !== null) replaceText(field.current, change);
    },
    [field],
  );
  function onSpeaker(at: number, { name, isNew = false }: SpeakerChoice): void {
    const { narrator, known, cast, findRole, setCast } = speakers;
    const { script } = open.store.getState();
    const isRole = (each: string): boolean => known.isRole(each) || (isNew && each === name);
    const change = assignPassage(script, at, name, { narrator, known: { ...known, isRole } });
    const added = [
      ...(isNew ? [{ name, voice: unusedVoice(speakers) }] : []),
      ...(change.text.includes(`[${narrator}]`) && findRole(narrator) === undefined
        ? [{ name: narrator }]
        : []),
    ];
    if (added.length > 0) setCast([...cast, ...added]);
    setOpenAt(undefined);
    onChange(change);
  }
  useAction({
    id: "narrate.cast.choose",
    title: t("narrate.cast.choose"),
    keys: "mod+shift+s",
    worksInText: true,
    run: () => {
      const lines = mirror.current?.speakerLines() ?? [];
      const line = lines.findLast(({ start }) => start <= (caret ?? 0)) ?? lines[0];
      if (line !== undefined) setOpenAt(marginOf(line.start));
    },
  });
  return {
    openAt,
    onOpen(next: string | undefined): void {
      setOpenAt(next);
      // Its button is another element than before it opened.
      if (next === undefined) field.current?.focus({ preventScroll: true });
    },
    onSpeaker,
    onChange,
    onCaret: (at: number): void => {
      field.current?.focus({ preventScroll: true });
      field.current?.setSelectionRange(at, at);
    },
  };
}

/** Keeps the mirror's text and marks up to date. @returns `layout`: another object when lines may have moved */
function useMirror(mirrorElement: RefObject<HTMLDivElement | null>) {
  const script = useScript((state) => state.script);
  const sentences = useScript((state) => state.sentences);
  const stale = useScript((state) => state.stale);
  const playingSentenceId = useView((view) => view.playingSentenceId);
  const mirror = useRef<Mirror>(undefined);
  const [layout, setLayout] = useState({});
  useLayoutEffect(() => {
    if (mirrorElement.current === null) return undefined;
    const newMirror = createMirror(mirrorElement.current, () => setLayout({}));
    const element = mirrorElement.current;
    mirror.current = newMirror;
    return () => {
      newMirror.close();
      element.replaceChildren();
    };
  }, [mirrorElement]);
  useLayoutEffect(() => mirror.current?.setText(script), [script]);
  useLayoutEffect(() => {
    mirror.current?.mark(
      "pending",
      sentences.filter((sentence) => !isGenerated(sentence)),
    );
    mirror.current?.mark(
      "missed",
      sentences.filter(({ missed }) => missed !== undefined && missed.length > 0),
    );
    mirror.current?.setVoices(sentences);
    setLayout({});
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
  return { mirror, layout };
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
