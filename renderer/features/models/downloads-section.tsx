// Downloads and the import under way, those that failed, and what has just arrived.

import { FileUp, FlaskConical, KeyRound, Pause, Play, RotateCcw, X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import type { ModelDownload } from "../../../main/contract/model-downloads.ts";
import { formatSize, formatTime } from "../../messages/format.ts";
import { localize } from "../../messages/localize.ts";
import { t } from "../../messages/messages.ts";
import { useModels } from "../../stores/models.ts";
import { go } from "../../stores/route.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Progress } from "../../ui/progress.tsx";
import {
  cancelDownload,
  forgetError,
  forgetFinished,
  pauseDownload,
  resumeDownload,
  useDownloads,
} from "./downloads.ts";
import { useOpenItem } from "./open-item.ts";
import type { ModelImport } from "./use-model-import.ts";

type Remedies = { onChooseFile: () => void; onEnterToken: () => void };

/** Failures that an access token may cure. */
const tokenErrors: readonly (string | undefined)[] = [
  "download.gated",
  "download.termsNotAccepted",
  "download.tokenRefused",
  "download.repositoryMissing",
];

export function DownloadsSection({
  modelImport,
  ...remedies
}: Remedies & { modelImport: ModelImport }) {
  const { downloads, finished, error } = useDownloads();
  const section = useRef<HTMLElement>(null);
  const lastRepository = downloads.findLast(({ name }) => name.includes("/"))?.id;
  useEffect(() => {
    // It was named far below.
    if (lastRepository !== undefined) section.current?.scrollIntoView({ block: "nearest" });
  }, [lastRepository]);
  const isEmpty =
    downloads.length + finished.length === 0 &&
    (error === undefined || error.id.includes("/")) &&
    !modelImport.isBusy &&
    modelImport.error === undefined;
  if (isEmpty) return null;
  return (
    <section ref={section} className="model-downloads" aria-label={t("models.downloads")}>
      {downloads.map((download) => (
        <DownloadRow key={download.id} download={download} {...remedies} />
      ))}
      <ImportRow modelImport={modelImport} onChooseFile={remedies.onChooseFile} />
      {finished.map(({ id, name }) => (
        <FinishedNotice key={id} id={id} name={name} />
      ))}
      <ActionError />
    </section>
  );
}

/** Of the last action that failed. That of a repository is shown where it was named. */
export function ActionError({ isOfRepository = false }: { isOfRepository?: boolean }) {
  const error = useDownloads((state) => state.error);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    element.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  if (error === undefined || error.id.includes("/") !== isOfRepository) return null;
  return (
    <div ref={element}>
      <Notice tone="bad" action={<CloseButton onClick={forgetError} />}>
        {error.message}
      </Notice>
    </div>
  );
}

const CloseButton = ({ onClick }: { onClick: () => void }) => (
  <IconButton isSmall label={t("frame.close")} onClick={onClick}>
    <X aria-hidden />
  </IconButton>
);

/** `12.0 MB of 255.0 MB · 8.2 MB/s · 0:31 left` */
function progressText({ doneBytes, totalBytes, state, ...download }: ModelDownload): string {
  const { bytesPerSec, remainingSec } = download;
  return [
    t("models.download.part", { done: formatSize(doneBytes), total: formatSize(totalBytes) }),
    state === "paused" && t("models.download.paused"),
    bytesPerSec !== undefined && t("models.download.speed", { size: formatSize(bytesPerSec) }),
    remainingSec !== undefined && t("models.download.left", { time: formatTime(remainingSec) }),
  ]
    .filter((part) => part !== false)
    .join(" · ");
}

function DownloadRow({
  download,
  onChooseFile,
  onEnterToken,
}: Remedies & { download: ModelDownload }) {
  const { id, name, state, doneBytes, totalBytes, note, error } = download;
  const cancel = (): void => void cancelDownload(id);
  return (
    <WorkRow
      name={name}
      text={progressText(download)}
      fraction={totalBytes === 0 ? undefined : doneBytes / totalBytes}
      buttons={
        <>
          {state === "running" ? (
            <Button isSmall icon={<Pause aria-hidden />} onClick={() => void pauseDownload(id)}>
              {t("models.download.pause")}
            </Button>
          ) : (
            <Button
              isSmall
              icon={state === "failed" ? <RotateCcw aria-hidden /> : <Play aria-hidden />}
              onClick={() => void resumeDownload(id)}
            >
              {t(state === "failed" ? "models.download.retry" : "models.download.resume")}
            </Button>
          )}
          {state === "failed" && tokenErrors.includes(error?.id) && (
            <Button isSmall icon={<KeyRound aria-hidden />} onClick={onEnterToken}>
              {t("models.token.enter")}
            </Button>
          )}
          {state === "failed" && (
            <Button isSmall icon={<FileUp aria-hidden />} onClick={onChooseFile}>
              {t("models.import.instead")}
            </Button>
          )}
          <Button isSmall kind="quiet" icon={<X aria-hidden />} onClick={cancel}>
            {t("frame.cancel")}
          </Button>
        </>
      }
    >
      {note !== undefined && <p className="secondary">{localize(note)}</p>}
      {state === "failed" && error !== undefined && <Notice tone="bad">{localize(error)}</Notice>}
    </WorkRow>
  );
}

function WorkRow({
  name,
  text,
  fraction,
  buttons,
  children,
}: {
  name: string;
  text: string;
  fraction: number | undefined;
  buttons: ReactNode;
  children?: ReactNode;
}) {
  return (
    <article className="model-download" aria-label={name}>
      <div className="model-download-head">
        <div className="model-download-text">
          <h3>{name}</h3>
          <p className="secondary figures">{text}</p>
        </div>
        <div className="model-download-buttons">{buttons}</div>
      </div>
      <Progress label={t("models.download.progress", { name })} fraction={fraction} />
      {children}
    </article>
  );
}

function ImportRow({
  modelImport: { isBusy, error, name, step, fraction, cancel, clear },
  onChooseFile,
}: {
  modelImport: ModelImport;
  onChooseFile: () => void;
}) {
  if (error !== undefined)
    return (
      <Notice
        tone="bad"
        action={
          <>
            <Button isSmall onClick={onChooseFile}>
              {t("models.import.other")}
            </Button>
            <CloseButton onClick={clear} />
          </>
        }
      >
        {error}
      </Notice>
    );
  if (!isBusy) return null;
  return (
    <WorkRow
      name={name === "" ? t("models.import") : name}
      text={t(`models.import.${step}`, { percent: Math.round(100 * fraction) })}
      fraction={fraction}
      buttons={
        <Button isSmall kind="quiet" icon={<X aria-hidden />} onClick={cancel}>
          {t("frame.cancel")}
        </Button>
      }
    />
  );
}

function FinishedNotice({ id, name }: { id: string; name: string }) {
  const openItem = useOpenItem();
  const canTranscribe = useModels(({ models }) =>
    models.some((model) => model.id === id && model.kind === "speech-to-text"),
  );
  return (
    <Notice
      action={
        <>
          {openItem === undefined || !canTranscribe ? (
            <Button
              isSmall
              icon={<FlaskConical aria-hidden />}
              onClick={() => go(`/models/try?model=${encodeURIComponent(id)}`)}
            >
              {t("models.try.this")}
            </Button>
          ) : (
            <Button isSmall onClick={() => openItem.transcribeWith(id)}>
              {t("models.retranscribe")}
            </Button>
          )}
          <CloseButton onClick={() => forgetFinished(id)} />
        </>
      }
    >
      {t("models.download.done", { name })}
    </Notice>
  );
}
