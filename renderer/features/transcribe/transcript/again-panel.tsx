// One stretch heard again, by any model: what it says differently, to take or to leave. Nothing changes before it is taken.

import "./panels.css";
import { Play, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { call } from "../../../api/client.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { live } from "../../../stores/live.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import type { Range } from "../../../ui/waveform.tsx";
import { within } from "../document/edits.ts";
import { diffHearings, type DiffPart } from "../document/hearing-diff.ts";
import { LanguageSelect, ModelSelect } from "../queue/option-fields.tsx";
import { useDocument, useTranscript } from "./use-transcript.ts";

type Hearing =
  | { state: "idle" | "running" }
  | { state: "failed"; message: string }
  | { state: "done"; segments: readonly DocumentSegment[]; tookMs: number; channel: string };

const tags = { same: "span", gone: "del", new: "ins" } as const;

export function AgainPanel({ range }: { range: Range }) {
  const { item, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const usual = usePreferences((state) => state.transcribe);
  const [options, setOptions] = useState(usual);
  const [hearing, setHearing] = useState<Hearing>({ state: "idle" });
  const abort = useRef<AbortController>(undefined);
  const [fromSec, toSec] = [range.fromSec, range.toSec];
  useEffect(() => () => abort.current?.abort(), []);

  async function hear(): Promise<void> {
    const own = new AbortController();
    abort.current = own;
    setHearing({ state: "running" });
    try {
      const heard = await call("hearAgain", { ...options, fromSec, toSec }, item.id, own.signal);
      setHearing({ state: "done", ...heard });
    } catch (error) {
      setHearing(
        isAbort(error) ? { state: "idle" } : { state: "failed", message: messageOf(error) },
      );
    }
  }

  const about = within(segments, fromSec, toSec);
  const leave = (): void => actions.leave(about[0]?.id);
  const parts = hearing.state === "done" ? diffHearings(about, hearing.segments) : [];
  const times = { from: formatTime(fromSec), to: formatTime(toSec) };
  return (
    <section
      className="panel"
      aria-label={t("transcribe.again")}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && leave()}
    >
      <div className="panel-tools">
        <span className="panel-count figures">{t("transcribe.again.range", times)}</span>
        <IconButton
          label={t("transcribe.range.play")}
          isSmall
          onClick={() => actions.playFrom(fromSec)}
        >
          <Play aria-hidden />
        </IconButton>
        <IconButton label={t("transcribe.panel.close")} isSmall onClick={leave}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="panel-tools">
        <ModelSelect
          isLabelUnseen
          value={options.model}
          onChange={(model) => setOptions({ ...options, model })}
        />
        <LanguageSelect
          isLabelUnseen
          value={options.language}
          onChange={(language) => setOptions(withLanguage(options, language))}
        />
        {hearing.state === "running" ? (
          <Button onClick={() => abort.current?.abort()}>{t("transcribe.cancel")}</Button>
        ) : (
          <Button
            kind={hearing.state === "done" ? "secondary" : "primary"}
            autoFocus
            onClick={() => void hear()}
          >
            {t("transcribe.again.hear")}
          </Button>
        )}
        {hearing.state === "running" && <Running itemId={item.id} />}
        {/* The timer is not read out: it would be every second. */}
        <span className="unseen" role="status">
          {hearing.state === "running" && t("transcribe.again.listening")}
        </span>
      </div>
      {hearing.state === "failed" && <Notice tone="bad">{hearing.message}</Notice>}
      {hearing.state === "done" && (
        <Outcome
          hearing={hearing}
          parts={parts}
          onTake={() => actions.accept(range, hearing.segments)}
          onDrop={leave}
        />
      )}
    </section>
  );
}

/** Since when it waits, and how much was heard: others than this machine tell that of a few minutes at a time. */
function Running({ itemId }: { itemId: string }) {
  const [sec, setSec] = useState(0);
  const [part, setPart] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSec((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(
    () =>
      live().subscribe(
        (event) =>
          event.type === "hear-again" && event.itemId === itemId && setPart(event.progress),
      ),
    [itemId],
  );
  return (
    <span className="figures" role="timer">
      {t("transcribe.again.running", { time: formatTime(sec), percent: Math.floor(part * 100) })}
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

type OutcomeProps = {
  hearing: Extract<Hearing, { state: "done" }>;
  parts: readonly DiffPart[];
  onTake: () => void;
  onDrop: () => void;
};

function Outcome({ hearing, parts, onTake, onDrop }: OutcomeProps) {
  const isSame = parts.every((part) => part.kind === "same");
  const by = hearing.channel === "local" ? t("transcribe.stayed-here") : hearing.channel;
  return (
    <>
      <p className="secondary figures">
        {t("transcribe.again.took", { sec: hearing.tookMs / 1000, by })}
      </p>
      {hearing.segments.length === 0 ? (
        <Notice>{t("transcribe.again.silent")}</Notice>
      ) : (
        <p className="panel-text">
          {parts.map((part, index) => {
            const Tag = tags[part.kind];
            // Parts have no name but their place.
            return <Tag key={index}>{part.text}</Tag>;
          })}
        </p>
      )}
      <div className="panel-tools">
        <Button
          kind="primary"
          disabledReason={
            hearing.segments.length === 0
              ? t("transcribe.again.silent")
              : isSame
                ? t("transcribe.again.same")
                : undefined
          }
          onClick={onTake}
        >
          {t("transcribe.again.take")}
        </Button>
        <Button onClick={onDrop}>{t("transcribe.again.keep")}</Button>
        {isSame && hearing.segments.length > 0 && (
          <span className="secondary">{t("transcribe.again.same")}</span>
        )}
      </div>
    </>
  );
}
