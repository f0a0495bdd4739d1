// Export of a transcript: format and layout, which are kept for the next time, and a preview of the file.

import "./panels.css";
import "./export-panel.css";
import { useEffect, useId, useState } from "react";
import {
  layoutChoices,
  type TranscriptExport,
  type TranscriptExportOptions,
  transcriptExports,
  type TranscriptLayout,
  defaultLayout,
} from "../../../../main/contract/transcript-export.ts";
import { readExport } from "../../../api/binary.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { formatTimeTenths } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox, Select, TextField } from "../../../ui/field.tsx";
import { parseInteger } from "../../../ui/parse-integer.ts";
import { ClosePanelButton } from "./close-panel-button.tsx";
import { PanelSection } from "./panel-section.tsx";
import { saveExport } from "./save-export.ts";
import { makeSpeakerScript } from "./speaker-script.ts";
import { useDocument, useNoSpeakersReason, useTranscript, useView } from "./use-transcript.ts";

const changeChoice = (change: Partial<TranscriptLayout & { format: TranscriptExport }>): void =>
  void changePreferences({
    transcriptExport: { ...usePreferences.getState().transcriptExport, ...change },
  });

export function ExportPanel() {
  const { item, open, actions } = useTranscript();
  const { format, ...layout } = usePreferences((state) => state.transcriptExport);
  const range = useView((view) => view.textRange ?? view.range);
  const noSpeakersReason = useNoSpeakersReason();
  const [isOnlyRange, setOnlyRange] = useState(true);
  const { isBusy, run } = useTask();
  const options: TranscriptExportOptions = {
    ...layout,
    ...(range !== undefined && isOnlyRange && range),
  };
  const disabledReason = format === "rttm" ? noSpeakersReason : undefined;
  return (
    <PanelSection
      label={t("transcribe.export")}
      className="transcript-export"
      onClose={() => actions.showPanel(undefined)}
    >
      <form
        className="transcript-export-choices"
        onSubmit={(event) => {
          event.preventDefault();
          if (disabledReason === undefined) void run(() => saveExport(open, item, format, options));
        }}
      >
        <Select
          label={t("transcribe.export.format")}
          autoFocus
          value={format}
          onChange={({ currentTarget: { value } }) =>
            changeChoice({ format: value as TranscriptExport })
          }
        >
          {transcriptExports.map((each) => (
            <option key={each} value={each}>
              {t(`transcribe.export.${each}`)}
            </option>
          ))}
        </Select>
        <LayoutFields format={format} layout={layout} />
        {range !== undefined && (
          <Checkbox
            label={t("transcribe.export.selection", {
              from: formatTimeTenths(range.fromSec),
              to: formatTimeTenths(range.toSec),
            })}
            checked={isOnlyRange}
            onChange={({ currentTarget: { checked } }) => setOnlyRange(checked)}
          />
        )}
        <div className="panel-tools">
          <Button type="submit" kind="primary" isBusy={isBusy} disabledReason={disabledReason}>
            {t("transcribe.export.save")}
          </Button>
          <Button
            disabledReason={noSpeakersReason}
            onClick={() => void makeSpeakerScript(open, item)}
          >
            {t("transcribe.script")}
          </Button>
        </div>
      </form>
      <Preview format={format} options={options} />
      <ClosePanelButton onClick={() => actions.showPanel(undefined)} />
    </PanelSection>
  );
}

/** Only what has an effect on the format. */
function LayoutFields({ format, layout }: { format: TranscriptExport; layout: TranscriptLayout }) {
  const choices = layoutChoices[format];
  const { speakers, times, paragraphs } = { ...defaultLayout(format), ...layout };
  return (
    <>
      {choices.includes("speakers") && (
        <Checkbox
          label={t("transcribe.export.speakers")}
          checked={speakers}
          onChange={(event) => changeChoice({ speakers: event.currentTarget.checked })}
        />
      )}
      {choices.includes("times") && (
        <Checkbox
          label={t("transcribe.export.times")}
          checked={times}
          onChange={(event) => changeChoice({ times: event.currentTarget.checked })}
        />
      )}
      {choices.includes("paragraphs") && (
        <Checkbox
          label={t("transcribe.export.paragraphs")}
          checked={paragraphs}
          onChange={(event) => changeChoice({ paragraphs: event.currentTarget.checked })}
        />
      )}
      {choices.includes("lines") && (
        <>
          <LineWidthField maxLineWidth={layout.maxLineWidth} />
          <Select
            label={t("transcribe.export.cue-lines")}
            value={layout.maxCueLines}
            onChange={(event) => changeChoice({ maxCueLines: Number(event.currentTarget.value) })}
          >
            {[1, 2, 3, 4].map((count) => (
              <option key={count}>{count}</option>
            ))}
          </Select>
        </>
      )}
      {format === "html" && <p className="field-help">{t("transcribe.export.html.help")}</p>}
    </>
  );
}

/** Columns that a line of subtitles may have; the contract checks the same limits. */
const [minLineWidth, maxLineWidthLimit] = [16, 120];

function LineWidthField({ maxLineWidth }: { maxLineWidth: number }) {
  const [typed, setTyped] = useState(String(maxLineWidth));
  const width = parseInteger(typed, minLineWidth, maxLineWidthLimit);
  return (
    <TextField
      label={t("transcribe.export.line-width")}
      inputMode="numeric"
      value={typed}
      error={
        typeof width === "number"
          ? undefined
          : t("transcribe.export.line-width.wrong", { min: minLineWidth, max: maxLineWidthLimit })
      }
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const next = parseInteger(value, minLineWidth, maxLineWidthLimit);
        if (typeof next === "number") changeChoice({ maxLineWidth: next });
      }}
    />
  );
}

/** The preview is of the beginning: a long transcript would be slow to show. */
const previewSegments = 40;

function Preview({
  format,
  options,
}: {
  format: TranscriptExport;
  options: TranscriptExportOptions;
}) {
  const headingId = useId();
  const { item, open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const [preview, setPreview] = useState<{ text: string; error?: string }>({ text: "" });
  // Documents have pages and fonts, but the same text.
  const isDocument = format === "docx" || format === "pdf" || format === "html";
  const { fromSec = 0, toSec = Infinity } = options;
  const shown = segments.filter(({ startSec, endSec }) => endSec > fromSec && startSec < toSec);
  const cutSec = shown[previewSegments]?.startSec;
  const request = JSON.stringify({
    ...defaultLayout(format),
    ...options,
    ...(cutSec !== undefined && { toSec: cutSec }),
  });
  useEffect(() => {
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      await open.store.save();
      const response = await readExport(
        item.id,
        isDocument ? "txt" : format,
        JSON.parse(request) as TranscriptExportOptions,
        abort.signal,
      );
      setPreview({ text: await response.text() });
    };
    load().catch((error: unknown) => {
      if (!isAbort(error)) setPreview({ text: "", error: messageOf(error) });
    });
    return () => abort.abort();
  }, [item.id, open, format, isDocument, request, segments]);
  return (
    <div className="transcript-export-preview">
      <p id={headingId} className="field-label">
        {t("transcribe.export.preview")}
      </p>
      {preview.error === undefined ? (
        <pre
          className={isDocument ? "transcript-export-text" : "transcript-export-code"}
          role="region"
          aria-labelledby={headingId}
          // So that it can be scrolled by keyboard.
          tabIndex={0}
          dir="auto"
        >
          {preview.text.replace("\ufeff", "")}
          {cutSec !== undefined && "\n…"}
        </pre>
      ) : (
        <p className="field-error">{preview.error}</p>
      )}
    </div>
  );
}
