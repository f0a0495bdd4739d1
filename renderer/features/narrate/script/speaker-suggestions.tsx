// Names offered while one is typed after `[`: roles and a pause anywhere, voices at the start of a line.

import { useId, useState, type KeyboardEvent } from "react";
import { t } from "../../../messages/messages.ts";
import { typedNameAt } from "../cast/speaker-marks.ts";
import type { Speakers } from "../cast/use-speakers.ts";
import { voiceHue, voiceInitial } from "../voices.ts";
import { replaceText } from "./replace-text.ts";
import type { Box } from "./mirror.ts";

type Suggestion = { readonly name: string; readonly voice?: string; readonly about: string };

const maxSuggestions = 8;

/** @param typedAt the caret after the last key that changed the script; undefined if the caret has moved since */
export function useSpeakerSuggestions(
  script: string,
  typedAt: number | undefined,
  speakers: Speakers,
) {
  const id = useId();
  const [index, setIndex] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const target = typedAt === undefined ? undefined : typedNameAt(script, typedAt);
  const found =
    target === undefined || target.start === closedAt
      ? []
      : suggest(speakers, target.typed, target.isAtLineStart);
  const selected = Math.min(index, found.length - 1);

  function accept(field: HTMLTextAreaElement, suggestion: Suggestion | undefined): void {
    if (target === undefined || suggestion === undefined) return;
    setIndex(0);
    replaceText(field, { start: target.start, end: target.end, text: `[${suggestion.name}] ` });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (found.length === 0 || event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setIndex((selected + step + found.length) % found.length);
    else if (event.key === "Enter" || event.key === "Tab")
      accept(event.currentTarget, found[selected]);
    else if (event.key === "Escape") setClosedAt(target?.start);
    else return;
    event.preventDefault();
  }
  return {
    id,
    found,
    selected,
    at: target?.start,
    accept,
    onKeyDown,
    onTyped: (): void => setIndex(0),
    /** For the text field. */
    attributes:
      found.length === 0
        ? {}
        : { "aria-controls": id, "aria-activedescendant": `${id}-${selected}` },
  };
}

/** Those that begin with what is typed before those that contain it. */
function suggest(
  { cast, voices, voiceOf, findVoice }: Speakers,
  typed: string,
  isAtLineStart: boolean,
): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  const all: readonly Suggestion[] = [
    ...cast.map(({ name }) => ({
      name,
      voice: voiceOf(name),
      about: findVoice(voiceOf(name)).name,
    })),
    { name: "pause 1s", about: t("narrate.cast.pause") },
    ...(isAtLineStart ? voices.map(({ id, about }) => ({ name: id, voice: id, about })) : []),
  ];
  const rank = ({ name }: Suggestion): number => {
    const words = name.toLowerCase();
    return words.startsWith(wanted) ? 0 : words.includes(`_${wanted}`) ? 1 : 2;
  };
  return all
    .filter((one) => rank(one) < 2)
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, maxSuggestions);
}

/** The list may be longer than the page below the line. */
const scrollIntoView = (list: HTMLElement | null): void =>
  list?.scrollIntoView({ block: "nearest" });

export function SpeakerSuggestions({
  suggestions: { id, found, selected, accept },
  box,
  field,
}: {
  suggestions: ReturnType<typeof useSpeakerSuggestions>;
  box: Box;
  field: () => HTMLTextAreaElement | null;
}) {
  return (
    <ul
      id={id}
      ref={scrollIntoView}
      className="speaker-suggestions"
      role="listbox"
      aria-label={t("narrate.cast.choose")}
      style={{ "--left": `${box.left}px`, "--at": `${box.top + box.height}px` }}
    >
      {found.map((suggestion, index) => (
        <li
          key={suggestion.name}
          id={`${id}-${index}`}
          className="speaker-suggestion"
          role="option"
          aria-selected={index === selected}
          // The field keeps the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            const element = field();
            if (element !== null) accept(element, suggestion);
          }}
        >
          <span
            className="narrate-initial"
            data-hue={suggestion.voice && voiceHue(suggestion.voice)}
            aria-hidden
          >
            {suggestion.voice && voiceInitial(suggestion.name)}
          </span>
          <span>{suggestion.name}</span>
          <span className="secondary speaker-list-about">{suggestion.about}</span>
        </li>
      ))}
    </ul>
  );
}
