// The clip of a trial: a file, a recording made now, a recording of the library, or a sentence synthesized here.

import { useRef } from "react";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { newestFirst, useItems } from "../../stores/items.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { FileInput, mediaTypes } from "../../ui/file-input.tsx";
import { chooseClip, useClip } from "./clip.ts";
import { ClipRecorder } from "./clip-recorder.tsx";

/** Longer clips would make a trial of a quarter of an hour. */
const maxClipSec = 900;
/** A longer list is useless for choosing. */
const maxItems = 100;

export function ClipField() {
  const clip = useClip();
  const picker = useRef<HTMLInputElement>(null);
  const byId = useItems((state) => state.byId);
  const items = newestFirst(byId, "transcript")
    .filter(({ hasMedia, durationSec }) => hasMedia && durationSec <= maxClipSec)
    .slice(0, maxItems);
  const value = clip.from === "item" ? clip.id : clip.from;
  return (
    <div className="model-clip">
      <Select
        label={t("models.clip")}
        value={value}
        onChange={({ currentTarget: { value: chosen } }) =>
          chooseClip(
            chosen === "sample"
              ? { from: "sample" }
              : chosen === "file" && clip.from === "file"
                ? clip
                : { from: "item", id: chosen },
          )
        }
      >
        <option value="sample">{t("models.clip.sample")}</option>
        {clip.from === "file" && <option value="file">{clip.file.name}</option>}
        {items.length > 0 && (
          <optgroup label={t("shell.page.library")}>
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
        accept={mediaTypes}
        onFiles={([file]) => chooseClip({ from: "file", file })}
      />
    </div>
  );
}
