// Who speaks: a name for the chosen segment or all up to the next change, and names changed everywhere at once. Nobody
// is told apart by the app: names are a person's.

import "./panels.css";
import { Pencil, X } from "lucide-react";
import { useId, useState, type FormEvent, type KeyboardEvent } from "react";
import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Segmented } from "../../../ui/segmented.tsx";
import { assignSpeaker, renameSpeaker, runFrom, speakersOf } from "../document/speakers.ts";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

const maxLetters = 60;
const nameOf = (typed: string): string => typed.replaceAll(/\s+/g, " ").trim();

export function SpeakerPanel() {
  const { actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const speakerFor = useView((view) => view.speakerFor);
  const segment = segments.find(({ id }) => id === speakerFor) ?? segments[0];
  const close = (): void => actions.leave(segment?.id);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  }
  if (segment === undefined) return null;
  return (
    <section className="panel" aria-label={t("transcribe.speaker")} onKeyDown={onKeyDown}>
      <Assign key={segment.id} segment={segment} onClose={close} />
      <Names />
    </section>
  );
}

function Assign({ segment, onClose }: { segment: DocumentSegment; onClose: () => void }) {
  const { open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const names = speakersOf(segments);
  const run = runFrom(segments, segment.id);
  const [typed, setTyped] = useState(segment.speaker ?? "");
  const [reach, setReach] = useState<"segment" | "run">("run");
  const listId = useId();
  const wanted = reach === "segment" ? [segment] : run;
  const assign = (name: string | undefined): void =>
    open.store.edit(t("transcribe.undo.speaker"), assignSpeaker(wanted, name));
  const name = nameOf(typed);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name === "") return;
    assign(name);
    // On to whoever speaks next.
    const next = segments[segments.findIndex(({ id }) => id === wanted.at(-1)?.id) + 1];
    if (next === undefined) return;
    actions.nameSpeaker(next.id);
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
          isLabelUnseen
          className="panel-word"
          autoFocus
          autoComplete="off"
          list={listId}
          maxLength={maxLetters}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <datalist id={listId}>
          {names.map((speaker) => (
            <option key={speaker.name} value={speaker.name} />
          ))}
        </datalist>
        <Segmented
          label={t("transcribe.speaker.reach")}
          value={reach}
          choices={[
            { value: "segment", label: t("transcribe.speaker.segment") },
            { value: "run", label: t("transcribe.speaker.run", { count: run.length }) },
          ]}
          onChange={setReach}
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
            wanted.some(({ speaker }) => speaker !== undefined)
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

/** All names of the transcript, each to be changed everywhere. */
function Names() {
  const { open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const [editing, setEditing] = useState<{ name: string; typed: string }>();
  const names = speakersOf(segments);
  if (names.length === 0) return null;
  function rename(): void {
    const to = nameOf(editing?.typed ?? "");
    if (editing !== undefined && to !== "" && to !== editing.name)
      open.store.edit(
        t("transcribe.undo.speaker-rename"),
        renameSpeaker(segments, editing.name, to),
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
                isLabelUnseen
                autoFocus
                maxLength={maxLetters}
                value={editing.typed}
                onChange={(event) => setEditing({ name, typed: event.currentTarget.value })}
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
              onClick={() => setEditing({ name, typed: name })}
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
