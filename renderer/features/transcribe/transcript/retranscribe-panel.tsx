// Transcribes a range again with any model and shows the difference. Nothing changes until the user accepts it.

import { Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ApiRequest } from "../../../../main/contract/api.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { call } from "../../../api/client.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { eventStream } from "../../../stores/event-stream.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import type { TimeRange } from "../../../ui/time-view.ts";
import { segmentsInRange } from "../document/edits.ts";
import { diffTranscriptions, type DiffPart } from "../document/transcription-diff.ts";
import { SpokenLanguageSelect, ModelSelect } from "../queue/option-fields.tsx";
import { ClosePanelButton } from "./close-panel-button.tsx";
import { ModelsLink } from "./models-link.tsx";
import { PanelSection } from "./panel-section.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

type Retranscription =
  | { state: "idle" | "running" }
  | { state: "failed"; message: string }
  | { state: "done"; segments: readonly DocumentSegment[]; tookMs: number; channel: string };

const diffTags = { same: "span", gone: "del", new: "ins" } as const;

export function RetranscribePanel({ range }: { range: TimeRange }) {
  const { item, open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const preferredOptions = usePreferences((state) => state.transcribe);
  const requestedModel = useView((view) => view.retranscribeModel);
  const [options, setOptions] = useState(preferredOptions);
  const { retranscription, start, cancel } = useRetranscription(item.id);
  const [fromSec, toSec] = [range.fromSec, range.toSec];
  const currentSegments = useMemo(
    () => segmentsInRange(segments, fromSec, toSec),
    [segments, fromSec, toSec],
  );
  const closePanel = (): void => actions.closePanel(currentSegments[0]?.id);
  useEffect(() => {
    if (requestedModel === undefined) return;
    // Not again when the panel is shown another time.
    open.view.setState({ retranscribeModel: undefined });
    const requested = { ...options, model: requestedModel };
    setOptions(requested);
    void start({ ...requested, fromSec, toSec });
  });
  const parts = useMemo(
    () =>
      retranscription.state === "done"
        ? diffTranscriptions(currentSegments, retranscription.segments)
        : [],
    [currentSegments, retranscription],
  );
  const timeLabels = { from: formatTime(fromSec), to: formatTime(toSec) };
  return (
    <PanelSection label={t("transcribe.retranscribe")} onClose={closePanel}>
      <div className="panel-tools">
        <span className="panel-count figures">
          {t("transcribe.retranscribe.range", timeLabels)}
        </span>
        <IconButton
          label={t("transcribe.range.play")}
          isSmall
          onClick={() => actions.playFrom(fromSec)}
        >
          <Play aria-hidden />
        </IconButton>
        <ClosePanelButton onClick={closePanel} />
      </div>
      <div className="panel-tools">
        <ModelSelect
          isLabelHidden
          value={options.model}
          onChange={(model) => setOptions({ ...options, model })}
        />
        <SpokenLanguageSelect
          isLabelHidden
          value={options.language}
          model={options.model}
          onChange={(language) => setOptions(withLanguage(options, language))}
        />
        {retranscription.state === "running" ? (
          <Button onClick={cancel}>{t("transcribe.cancel")}</Button>
        ) : (
          <Button
            kind={retranscription.state === "done" ? "secondary" : "primary"}
            autoFocus
            onClick={() => void start({ ...options, fromSec, toSec })}
          >
            {t("transcribe.retranscribe.start")}
          </Button>
        )}
        {retranscription.state === "idle" && <ModelsLink />}
        {retranscription.state === "running" && <RunningStatus itemId={item.id} />}
        {/* The timer is hidden from screen readers, which would announce it every second. */}
        <span className="unseen" role="status">
          {retranscription.state === "running" && t("transcribe.retranscribe.transcribing")}
        </span>
      </div>
      {retranscription.state === "failed" && <Notice tone="bad">{retranscription.message}</Notice>}
      {retranscription.state === "done" && (
        <RetranscriptionResult
          retranscription={retranscription}
          parts={parts}
          onAccept={() => actions.accept(range, retranscription.segments)}
          onDiscard={closePanel}
        />
      )}
    </PanelSection>
  );
}

/** One run at a time; it is cancelled when the panel closes. */
function useRetranscription(itemId: string) {
  const [retranscription, setRetranscription] = useState<Retranscription>({ state: "idle" });
  const abort = useRef<AbortController>(undefined);
  const cancel = (): void => abort.current?.abort();
  useEffect(() => cancel, []);

  async function start(request: ApiRequest<"retranscribe">): Promise<void> {
    const { signal } = (abort.current = new AbortController());
    setRetranscription({ state: "running" });
    try {
      const result = await call("retranscribe", request, itemId, signal);
      setRetranscription({ state: "done", ...result });
    } catch (error) {
      setRetranscription(
        isAbort(error) ? { state: "idle" } : { state: "failed", message: messageOf(error) },
      );
    }
  }

  return { retranscription, start, cancel };
}

/** Elapsed time and progress. Providers report progress only after each chunk of a few minutes. */
function RunningStatus({ itemId }: { itemId: string }) {
  const [sec, setSec] = useState(0);
  const [progress, setProgress] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSec((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(
    () =>
      eventStream().subscribe(
        (event) =>
          event.type === "hear-again" && event.itemId === itemId && setProgress(event.progress),
      ),
    [itemId],
  );
  return (
    <span className="figures" role="timer">
      {t("transcribe.retranscribe.running", {
        time: formatTime(sec),
        percent: Math.floor(progress * 100),
      })}
    </span>
  );
}

function withLanguage<Options extends { language?: string | undefined }>(
  options: Options,
  language: string | undefined,
): Options {
  const { language: _, ...rest } = options;
  return (language === undefined ? rest : { ...rest, language }) as Options;
}

type RetranscriptionResultProps = {
  retranscription: Extract<Retranscription, { state: "done" }>;
  parts: readonly DiffPart[];
  onAccept: () => void;
  onDiscard: () => void;
};

function RetranscriptionResult({
  retranscription,
  parts,
  onAccept,
  onDiscard,
}: RetranscriptionResultProps) {
  const isSame = parts.every((part) => part.kind === "same");
  const by =
    retranscription.channel === "local" ? t("transcribe.stayed-here") : retranscription.channel;
  return (
    <>
      <p className="secondary figures">
        {t("transcribe.retranscribe.took", { sec: retranscription.tookMs / 1000, by })}
      </p>
      {retranscription.segments.length === 0 ? (
        <Notice>{t("transcribe.retranscribe.silent")}</Notice>
      ) : (
        <p className="panel-text">
          {parts.map((part, index) => {
            const Tag = diffTags[part.kind];
            // Parts have no identity but their index.
            return <Tag key={index}>{part.text}</Tag>;
          })}
        </p>
      )}
      <div className="panel-tools">
        <Button
          kind="primary"
          disabledReason={
            retranscription.segments.length === 0
              ? t("transcribe.retranscribe.silent")
              : isSame
                ? t("transcribe.retranscribe.same")
                : undefined
          }
          onClick={onAccept}
        >
          {t("transcribe.retranscribe.take")}
        </Button>
        <Button onClick={onDiscard}>{t("transcribe.retranscribe.keep")}</Button>
        {isSame && retranscription.segments.length > 0 && (
          <span className="secondary">{t("transcribe.retranscribe.same")}</span>
        )}
      </div>
    </>
  );
}
