// Who speaks when, as a strip under the waveform with a lane for each speaker, and how long, as its legend: plays a
// sample of a speaker, renames one everywhere, joins two.

import "./speaker-hues.css";
import "./speaker-overview.css";
import { Check, Ellipsis, Merge, Pencil, Play, UserRoundPlus } from "lucide-react";
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isSpeakerLetters } from "../../../../main/contract/speakers.ts";
import { formatPercent, formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { loadPeople, useIsRemembered } from "../../../stores/people.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { type SpeakerTimes, speakerTimes } from "../document/speaker-times.ts";
import { maxSpeakerNameLength, normalizeSpeakerName } from "../document/speakers.ts";
import { spanSec } from "../../../ui/time-view.ts";
import { RememberVoice } from "./remember-voice.tsx";
import { useTimeView } from "./use-time-view.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

export function SpeakerOverview() {
  const { item } = useTranscript();
  const segments = useDeferredValue(useDocument((state) => state.segments));
  const document = useDocument((state) => state.document);
  const speakers = useMemo(() => speakerTimes(segments), [segments]);
  const hasSpeakers = speakers.length > 0;
  useEffect(() => {
    // Only menus need them; without them they offer more.
    if (hasSpeakers) loadPeople().catch(() => undefined);
  }, [hasSpeakers]);
  const isPending = item.state === "running" && document?.options.speakers !== undefined;
  if (!hasSpeakers)
    return isPending ? <p className="sound-note">{t("transcribe.speaker.pending")}</p> : null;
  return (
    <div className="speakers">
      <SpeakerStrip speakers={speakers} />
      <ul className="speakers-legend" aria-label={t("transcribe.speaker.all")}>
        {speakers.map((speaker, index) => (
          // A renamed speaker keeps the place, and with it the focus.
          <LegendEntry
            key={index}
            index={index}
            speaker={speaker}
            others={speakers.filter((other) => other !== speaker).map(({ name }) => name)}
            confidence={document?.recognized?.[speaker.name]}
          />
        ))}
      </ul>
    </div>
  );
}

function SpeakerStrip({ speakers }: { speakers: readonly SpeakerTimes[] }) {
  const { view } = useTimeView();
  const lanes = useMemo(
    () =>
      speakers.map(({ name, hue, ranges }, lane) => (
        <path key={name} className="speaker-lane" data-hue={hue} d={lanePath(ranges, lane)}>
          <title>{name}</title>
        </path>
      )),
    [speakers],
  );
  return (
    <svg
      className="speakers-strip"
      style={{ "--lanes": speakers.length }}
      viewBox={`${view.fromSec} 0 ${spanSec(view)} ${speakers.length}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {lanes}
    </svg>
  );
}

/** Lanes are one unit high, with a gap between them. */
const lanePath = (ranges: SpeakerTimes["ranges"], lane: number): string =>
  ranges
    .map(({ startSec, endSec }) => {
      const [from, to] = [startSec.toFixed(2), endSec.toFixed(2)];
      return `M${from} ${lane + 0.1}H${to}V${lane + 0.9}H${from}z`;
    })
    .join("");

/** No guess is certain. */
const maxShownConfidence = 0.99;

type LegendEntryProps = {
  /** The menu moves the focus to another one when this one is merged into it. */
  index: number;
  speaker: SpeakerTimes;
  others: readonly string[];
  /** 0 to 1 for a name that the app recognized and nobody has confirmed. */
  confidence: number | undefined;
};

function LegendEntry({ index, speaker, others, confidence }: LegendEntryProps) {
  const { item, actions } = useTranscript();
  const { name, hue, spokenSec, share } = speaker;
  const [isRenaming, setRenaming] = useState(false);
  const [isRemembering, setRemembering] = useState(false);
  const isRemembered = useIsRemembered(name);
  const sample = useRef<HTMLButtonElement>(null);
  const entry = useRef<HTMLLIElement>(null);
  const shouldFocus = useRef(false);
  useEffect(() => {
    if (isRenaming || !shouldFocus.current) return;
    shouldFocus.current = false;
    sample.current?.focus();
  }, [isRenaming]);
  useLayoutEffect(() => {
    return () => {
      // Merged into another one: its neighbour takes the focus, before the focused element is removed.
      if (entry.current?.contains(document.activeElement) === true)
        entry.current.previousElementSibling?.querySelector("button")?.focus();
    };
  }, []);
  const items: readonly MenuItem[] = [
    {
      label: t("transcribe.speaker.rename"),
      icon: <Pencil aria-hidden />,
      run: () => setRenaming(true),
    },
    ...(confidence === undefined
      ? []
      : [
          {
            label: t("transcribe.speaker.confirm", { name }),
            icon: <Check aria-hidden />,
            run: () => actions.confirmSpeaker(name),
          },
        ]),
    // A recognized voice is remembered already.
    ...(confidence === undefined && !isRemembered
      ? [
          {
            label: t("transcribe.speaker.remember"),
            icon: <UserRoundPlus aria-hidden />,
            run: () => setRemembering(true),
            disabledReason: isSpeakerLetters(name)
              ? t("transcribe.speaker.remember.unnamed")
              : undefined,
          },
        ]
      : []),
    ...others.map((other, at) => ({
      label: t("transcribe.speaker.merge", { name: other }),
      icon: <Merge aria-hidden />,
      beginsGroup: at === 0,
      run: () => actions.mergeSpeakers(name, other),
    })),
  ];
  if (isRenaming)
    return (
      <li className="speakers-entry" ref={entry} data-row={index}>
        <RenameField
          name={name}
          onEnd={(byKey) => {
            shouldFocus.current = byKey;
            setRenaming(false);
          }}
        />
      </li>
    );
  return (
    <li className="speakers-entry" ref={entry} data-row={index}>
      <Button
        ref={sample}
        kind="quiet"
        isSmall
        icon={<Play aria-hidden />}
        disabledReason={item.hasMedia ? undefined : t("transcribe.no-sound")}
        onClick={() => actions.playSpeakerSample(name)}
      >
        <span className="unseen">{t("transcribe.speaker.sample")} </span>
        <span className="speaker-name" data-hue={hue} title={name}>
          {name}
        </span>
        <span className="secondary figures">
          {formatTime(spokenSec)} · {formatPercent(share)}
          {confidence !== undefined &&
            ` · ${t("transcribe.speaker.recognized", {
              sure: formatPercent(Math.min(confidence, maxShownConfidence)),
            })}`}
        </span>
      </Button>
      <Menu items={items} align="start">
        <IconButton label={t("transcribe.speaker.more", { name })} isSmall>
          <Ellipsis aria-hidden />
        </IconButton>
      </Menu>
      <RememberVoice name={name} isOpen={isRemembering} onClose={() => setRemembering(false)} />
    </li>
  );
}

function RenameField({ name, onEnd }: { name: string; onEnd: (byKey: boolean) => void }) {
  const { actions } = useTranscript();
  const [draft, setDraft] = useState(name);
  function save(byKey: boolean): void {
    const newName = normalizeSpeakerName(draft);
    if (newName !== "" && newName !== name) actions.renameSpeaker(name, newName);
    onEnd(byKey);
  }
  return (
    <TextField
      label={t("transcribe.speaker.rename.named", { name })}
      isLabelHidden
      autoFocus
      autoComplete="off"
      maxLength={maxSpeakerNameLength}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => save(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" && event.key !== "Enter") return;
        event.preventDefault();
        if (event.key === "Enter") save(true);
        else onEnd(true);
      }}
    />
  );
}
