// Sets the speaker of a segment, of what follows it, or of the selected range.

import "./speaker-hues.css";
import { useId, useState, type FormEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { segmentsInRange } from "../document/edits.ts";
import type { Patch } from "../document/segments.ts";
import { assignRange, sameSpeakerFrom } from "../document/speaker-edits.ts";
import {
  assignSpeaker,
  sameSpeakerRun,
  listSpeakers,
  maxSpeakerNameLength,
  normalizeSpeakerName,
  type Speaker,
} from "../document/speakers.ts";
import { ClosePanelButton } from "./close-panel-button.tsx";
import { PanelSection } from "./panel-section.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

export function SpeakerPanel() {
  const { actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const speakerSegmentId = useView((view) => view.speakerSegmentId);
  const segment = segments.find(({ id }) => id === speakerSegmentId) ?? segments[0];
  const close = (): void => actions.closePanel(segment?.id);
  if (segment === undefined) return null;
  return (
    <PanelSection label={t("transcribe.speaker")} onClose={close}>
      <AssignSpeakerForm key={segment.id} segment={segment} onClose={close} />
    </PanelSection>
  );
}

type Scope = {
  readonly id: "segment" | "run" | "rest" | "range";
  readonly label: string;
  readonly segments: readonly DocumentSegment[];
  patch(name: string | undefined): Patch;
  /** Where the next speaker begins, if it is worth going on there. */
  readonly next?: DocumentSegment | undefined;
};

/** What a name can be given to, the usual one first. */
function useScopes(segment: DocumentSegment): readonly [Scope, ...Scope[]] {
  const segments = useDocument((state) => state.segments);
  const range = useView((view) => view.range);
  const run = sameSpeakerRun(segments, segment.id);
  const rest = sameSpeakerFrom(segments, segment.id);
  const inRange = range ? segmentsInRange(segments, range.fromSec, range.toSec) : [];
  const after = (last: DocumentSegment | undefined): DocumentSegment | undefined =>
    segments[segments.findIndex(({ id }) => id === last?.id) + 1];
  const upToNext: Scope = {
    id: "run",
    label: t("transcribe.speaker.run", { count: run.length }),
    segments: run,
    patch: (name) => assignSpeaker(run, name),
    next: after(run.at(-1)),
  };
  const others: readonly Scope[] = [
    {
      id: "segment",
      label: t("transcribe.speaker.segment"),
      segments: [segment],
      patch: (name) => assignSpeaker([segment], name),
      next: after(segment),
    },
    ...(segment.speaker === undefined
      ? []
      : [
          {
            id: "rest" as const,
            label: t("transcribe.speaker.rest", { name: segment.speaker, count: rest.length }),
            segments: rest,
            patch: (name: string | undefined) => assignSpeaker(rest, name),
          },
        ]),
  ];
  if (range === undefined || !inRange.includes(segment)) return [upToNext, ...others];
  const selected: Scope = {
    id: "range",
    label: t("transcribe.speaker.range", {
      from: formatTime(range.fromSec),
      to: formatTime(range.toSec),
    }),
    segments: inRange,
    patch: (name) => assignRange(segments, range, name),
  };
  return [selected, upToNext, ...others];
}

function AssignSpeakerForm({
  segment,
  onClose,
}: {
  segment: DocumentSegment;
  onClose: () => void;
}) {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const names = listSpeakers(segments);
  const [draft, setDraft] = useState(segment.speaker ?? "");
  const [scopeId, setScopeId] = useState<string>();
  const listId = useId();
  const scopes = useScopes(segment);
  const scope = scopes.find(({ id }) => id === scopeId) ?? scopes[0];
  const assign = (name: string | undefined): void =>
    open.store.edit(t("transcribe.undo.speaker"), scope.patch(name));
  const name = normalizeSpeakerName(draft);
  function give(given: string): void {
    assign(given);
    if (scope.id === "range") return onClose();
    if (scope.next === undefined) return;
    actions.openSpeakerPanel(scope.next.id);
    actions.reveal(scope.next.id);
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name !== "") give(name);
  }
  return (
    <form className="panel-speaker" onSubmit={submit}>
      <p className="panel-speaker-who">
        {t("transcribe.speaker.who", { time: formatTime(segment.startSec) })}
      </p>
      <ClosePanelButton onClick={onClose} />
      <div className="panel-tools">
        <TextField
          label={t("transcribe.speaker.who", { time: formatTime(segment.startSec) })}
          isLabelHidden
          className="panel-word"
          autoFocus
          autoComplete="off"
          list={listId}
          maxLength={maxSpeakerNameLength}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <datalist id={listId}>
          {names.map((speaker) => (
            <option key={speaker.name} value={speaker.name} />
          ))}
        </datalist>
        <Select
          label={t("transcribe.speaker.reach")}
          isLabelHidden
          value={scope.id}
          onChange={(event) => setScopeId(event.currentTarget.value)}
        >
          {scopes.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <Button
          type="submit"
          kind="primary"
          isSmall
          disabledReason={name === "" ? t("transcribe.speaker.no-name") : undefined}
        >
          {t("transcribe.speaker.assign")}
        </Button>
        <Button
          isSmall
          disabledReason={
            scope.segments.some(({ speaker }) => speaker !== undefined)
              ? undefined
              : t("transcribe.speaker.nobody-yet")
          }
          onClick={() => assign(undefined)}
        >
          {t("transcribe.speaker.nobody")}
        </Button>
      </div>
      <OtherSpeakers
        speakers={names.filter((speaker) => speaker.name !== segment.speaker)}
        onChoose={give}
      />
    </form>
  );
}

/** The field suggests only names that begin like its own, so the others are one click away. */
function OtherSpeakers({
  speakers,
  onChoose,
}: {
  speakers: readonly Speaker[];
  onChoose: (name: string) => void;
}) {
  if (speakers.length === 0) return null;
  return (
    <div className="panel-alike" role="group" aria-label={t("transcribe.speaker.all")}>
      {speakers.map(({ name, hue }) => (
        <Button key={name} isSmall onClick={() => onChoose(name)}>
          <span className="speaker-name" data-hue={hue}>
            {name}
          </span>
        </Button>
      ))}
    </div>
  );
}
