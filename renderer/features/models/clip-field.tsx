// The clip of a trial: a file, a recording made now, a recording of the library, a sentence synthesized here, or clips
// that come with the app.

import { useRef } from "react";
import type { MeasuringClip } from "../../../main/contract/measurements.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { acceptAttribute } from "../../stores/accepted-files.ts";
import { newestFirst, useItems } from "../../stores/items.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { languageName } from "../../ui/language-name.ts";
import { chooseClip, type Clip, useClip } from "./clip.ts";
import { clipTitle } from "./clip-title.ts";
import { ClipRecorder } from "./clip-recorder.tsx";
import { useMeasurements } from "./measure-store.ts";

/** Longer clips would make a trial of a quarter of an hour. */
const maxClipSec = 900;
/** A longer list is useless for choosing. */
const maxItems = 100;

const appPrefix = "app:";

function valueOf(clip: Clip): string {
  if (clip.from === "item") return clip.id;
  return clip.from === "app" ? appPrefix + clip.ids.join() : clip.from;
}

function clipOf(value: string, current: Clip): Clip {
  if (value === "sample") return { from: "sample" };
  if (value === "file" && current.from === "file") return current;
  return value.startsWith(appPrefix)
    ? { from: "app", ids: value.slice(appPrefix.length).split(",") }
    : { from: "item", id: value };
}

export function ClipField() {
  const clip = useClip();
  const picker = useRef<HTMLInputElement>(null);
  const byId = useItems((state) => state.byId);
  const items = newestFirst(byId, "transcript")
    .filter(({ hasMedia, durationSec }) => hasMedia && durationSec <= maxClipSec)
    .slice(0, maxItems);
  const { clips } = useMeasurements();
  return (
    <div className="model-clip">
      <Select
        label={t("models.clip")}
        value={valueOf(clip)}
        onChange={({ currentTarget: { value } }) => chooseClip(clipOf(value, clip))}
      >
        <option value="sample">{t("models.clip.sample")}</option>
        {clip.from === "file" && <option value="file">{clip.file.name}</option>}
        {clips.length > 0 && (
          <optgroup label={t("models.clip.withText")}>
            {[...Map.groupBy(clips, ({ language }) => language)].map(([language, some]) => (
              <AppClipOptions key={language} language={language} clips={some} />
            ))}
          </optgroup>
        )}
        {items.length > 0 && (
          <optgroup label={t("frame.page.library")}>
            {items.map(({ id, title, durationSec }) => (
              <option key={id} value={id}>
                {title} ({formatTime(durationSec)})
              </option>
            ))}
          </optgroup>
        )}
      </Select>
      <div className="model-actions">
        <Button onClick={() => picker.current?.click()}>{t("models.clip.file")}</Button>
        <ClipRecorder />
      </div>
      <FileInput
        ref={picker}
        accept={acceptAttribute("media")}
        onFiles={([file]) => chooseClip({ from: "file", file })}
      />
    </div>
  );
}

/** All clips in a language, and each of them. */
function AppClipOptions({
  language,
  clips,
}: {
  language: string;
  clips: readonly MeasuringClip[];
}) {
  const ids = clips.map(({ id }) => id);
  return (
    <>
      <option value={appPrefix + ids.join()}>
        {t("models.clip.all", { language: languageName(language), count: clips.length })}
      </option>
      {clips.map(({ id, durationSec }) => (
        <option key={id} value={appPrefix + id}>
          {clipTitle(id, clips)} ({formatTime(durationSec)})
        </option>
      ))}
    </>
  );
}
