// Speakers: name the selected segment, or all up to the next change, and rename speakers everywhere. The app does not
// recognize speakers; the user names them.

import "./panels.css";
import { Pencil, X } from "lucide-react";
import { useId, useState, type FormEvent, type KeyboardEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Segmented } from "../../../ui/segmented.tsx";
import {
  assignSpeaker,
  renameSpeaker,
  sameSpeakerRun,
  listSpeakers,
} from "../document/speakers.ts";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

const maxNameLength = 60;
const normalizeName = (draft: string): string => draft.replaceAll(/\s+/g, " ").trim();

export function SpeakerPanel() {
  const { actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const speakerSegmentId = useView((view) => view.speakerSegmentId);
  const segment = segments.find(({ id }) => id === speakerSegmentId) ?? segments[0];
  const close = (): void => actions.closePanel(segment?.id);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  }
  if (segment === undefined) return null;
  return (
    <section className="panel" aria-label={t("transcribe.speaker")} onKeyDown={onKeyDown}>
      <AssignSpeakerForm key={segment.id} segment={segment} onClose={close} />
      <SpeakerNames />
    </section>
  );
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
  const run = sameSpeakerRun(segments, segment.id);
  const [draft, setDraft] = useState(segment.speaker ?? "");
  const [scope, setScope] = useState<"segment" | "run">("run");
  const listId = useId();
  const targetSegments = scope === "segment" ? [segment] : run;
  const assign = (name: string | undefined): void =>
    open.store.edit(t("transcribe.undo.speaker"), assignSpeaker(targetSegments, name));
  const name = normalizeName(draft);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name === "") return;
    assign(name);
    // Goes on to the next speaker.
    const next = segments[segments.findIndex(({ id }) => id === targetSegments.at(-1)?.id) + 1];
    if (next === undefined) return;
    actions.openSpeakerPanel(next.id);
    actions.reveal(next.id);
  }
  return (
    <form className="panel-speaker" onSubmit={submit}>
      <p className="panel-speaker-who">
        {t("transcribe.speaker.who", { time: formatTime(segment.startSec) })}
      </p>
      <IconButton label={t("transcribe.panel.close")} isSmall onClick={onClose}>
        <X aria-hidden />
      </IconButton>
      <div className="panel-tools">
        <TextField
          label={t("transcribe.speaker.who", { time: formatTime(segment.startSec) })}
          isLabelHidden
          className="panel-word"
          autoFocus
          autoComplete="off"
          list={listId}
          maxLength={maxNameLength}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <datalist id={listId}>
          {names.map((speaker) => (
            <option key={speaker.name} value={speaker.name} />
          ))}
        </datalist>
        <Segmented
          label={t("transcribe.speaker.reach")}
          value={scope}
          choices={[
            { value: "segment", label: t("transcribe.speaker.segment") },
            { value: "run", label: t("transcribe.speaker.run", { count: run.length }) },
          ]}
          onChange={setScope}
        />
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
            targetSegments.some(({ speaker }) => speaker !== undefined)
              ? undefined
              : t("transcribe.speaker.nobody-yet")
          }
          onClick={() => assign(undefined)}
        >
          {t("transcribe.speaker.nobody")}
        </Button>
      </div>
    </form>
  );
}

/** All names in the transcript; each can be renamed everywhere. */
function SpeakerNames() {
  const { open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const [editing, setEditing] = useState<{ name: string; draft: string }>();
  const names = listSpeakers(segments);
  if (names.length === 0) return null;
  function rename(): void {
    const newName = normalizeName(editing?.draft ?? "");
    if (editing !== undefined && newName !== "" && newName !== editing.name)
      open.store.edit(
        t("transcribe.undo.speaker-rename"),
        renameSpeaker(segments, editing.name, newName),
      );
    setEditing(undefined);
  }
  return (
    <ul className="panel-speakers" aria-label={t("transcribe.speaker.all")}>
      {names.map(({ name, count, hue }) => (
        <li key={name}>
          {editing?.name === name ? (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                rename();
              }}
            >
              <TextField
                label={t("transcribe.speaker.rename", { name })}
                isLabelHidden
                autoFocus
                maxLength={maxNameLength}
                value={editing.draft}
                onChange={(event) => setEditing({ name, draft: event.currentTarget.value })}
                onBlur={rename}
                onKeyDown={(event) => {
                  if (event.key !== "Escape") return;
                  event.preventDefault();
                  setEditing(undefined);
                }}
              />
            </form>
          ) : (
            <Button
              kind="quiet"
              isSmall
              icon={<Pencil aria-hidden />}
              aria-label={t("transcribe.speaker.rename", { name })}
              onClick={() => setEditing({ name, draft: name })}
            >
              <span data-hue={hue} className="speaker-name">
                {name}
              </span>
            </Button>
          )}
          <span className="secondary figures">{count}</span>
        </li>
      ))}
    </ul>
  );
}
