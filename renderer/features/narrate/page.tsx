// The Narrate page: the open script with its panel, or the way to begin.

import "./page.css";
import { FolderOpen, PenLine } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Item } from "../../../main/contract/studio.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { takeIncoming, useIncoming } from "../../stores/incoming.ts";
import { useItems } from "../../stores/items.ts";
import { useRoute } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame } from "../../ui/page-header.tsx";
import { NarrationHeader } from "./narration-header.tsx";
import { Panel } from "./panel/panel.tsx";
import { Editor } from "./script/editor.tsx";
import { beginNarration, beginWithFiles } from "./start/bring.ts";
import { StartArea } from "./start/start-area.tsx";
import { NarrationContext, useOpenNarration, useScript, useNarration } from "./use-narration.ts";

export function Page() {
  const { rest } = useRoute();
  const [openId] = rest;
  const picker = useRef<HTMLInputElement>(null);
  const item = useItems((state) => (openId === undefined ? undefined : state.byId.get(openId)));
  const isLoaded = useItems((state) => state.isLoaded);
  const incoming = useIncoming((state) => state.script);
  const [reading, setReading] = useState<string>();
  const { isBusy, error, run, cancel } = useTask();

  const bring = useCallback(
    (files: readonly File[]) =>
      void run((signal) => beginWithFiles(files, signal, setReading)).finally(() =>
        setReading(undefined),
      ),
    [run],
  );
  useEffect(() => {
    // While some are being read the others wait.
    if (isBusy) return;
    const files = takeIncoming("script");
    if (files.length > 0) bring(files);
  }, [incoming, bring, isBusy]);
  const begin = useCallback(
    (script: string) => void run((signal) => beginNarration({ script }, signal)),
    [run],
  );
  const pick = useCallback(() => picker.current?.click(), []);
  useAction({ id: "narrate.new", title: t("narrate.new"), keys: "n", run: () => begin("") });
  useAction({ id: "narrate.pick", title: t("narrate.pick"), keys: "o", run: pick });

  return (
    <PageFrame
      title={t("narrate.page")}
      about={t("narrate.about")}
      actions={
        openId !== undefined && (
          <>
            <Button icon={<FolderOpen aria-hidden />} onClick={pick}>
              {t("narrate.pick")}
            </Button>
            <Button icon={<PenLine aria-hidden />} isBusy={isBusy} onClick={() => begin("")}>
              {t("narrate.new")}
            </Button>
          </>
        )
      }
    >
      <FileInput
        ref={picker}
        accept=".txt,.md,.markdown,.srt,.vtt,.epub,text/plain"
        multiple
        onFiles={bring}
      />
      {reading !== undefined && (
        <div className="narrate-note">
          <Notice
            action={
              <Button isSmall onClick={cancel}>
                {t("shell.cancel")}
              </Button>
            }
          >
            {t("narrate.reading", { name: reading })}
          </Notice>
        </div>
      )}
      {openId !== undefined && error !== undefined && (
        <div className="narrate-note">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
      {item?.kind === "narration" && <OpenNarration key={item.id} item={item} />}
      {item?.kind !== "narration" && openId !== undefined && isLoaded && (
        <EmptyState title={t("narrate.gone")} text={t("narrate.gone.text")} />
      )}
      {openId === undefined && (
        <StartArea isBusy={isBusy} error={error} onText={begin} onPick={pick} />
      )}
    </PageFrame>
  );
}

function OpenNarration({ item }: { item: Item }) {
  const narration = useOpenNarration(item);
  return (
    <NarrationContext value={narration}>
      <Narration />
    </NarrationContext>
  );
}

function Narration() {
  const { open } = useNarration();
  const phase = useScript((state) => state.phase);
  const message = useScript((state) => state.message);
  const otherScript = useScript((state) => state.otherScript);
  const [isExporting, setExporting] = useState(false);
  const focused = useRef<Element>(null);
  const showExport = (isOpen: boolean): void => {
    if (isOpen && isExporting) document.querySelector<HTMLElement>(".export-panel select")?.focus();
    if (isOpen === isExporting) return;
    if (isOpen) focused.current = document.activeElement;
    else {
      // Before the panel goes and takes the focus with it.
      const { current: before } = focused;
      const isThere =
        before instanceof HTMLElement && before.isConnected && before !== document.body;
      (isThere
        ? before
        : document.querySelector<HTMLElement>(".narration-header [aria-expanded]")
      )?.focus();
    }
    setExporting(isOpen);
  };
  if (phase === "loading") return null;
  if (phase === "failed") {
    return (
      <div className="narrate-note">
        <Notice
          tone="bad"
          action={
            <Button isSmall onClick={() => void open.store.load()}>
              {t("shell.retry")}
            </Button>
          }
        >
          {message}
        </Notice>
      </div>
    );
  }
  return (
    <div className="narrate">
      <NarrationHeader isExporting={isExporting} onExport={showExport} />
      {otherScript !== undefined && (
        <div className="narrate-note">
          <Notice
            tone="warn"
            action={
              <>
                <Button isSmall onClick={() => open.store.takeOther()}>
                  {t("narrate.conflict.take")}
                </Button>
                <Button isSmall onClick={() => open.store.keepOwn()}>
                  {t("narrate.conflict.keep")}
                </Button>
              </>
            }
          >
            {t("narrate.conflict")}
          </Notice>
        </div>
      )}
      <div className="narrate-desk">
        <Editor />
        <Panel isExporting={isExporting} onExport={showExport} />
      </div>
    </div>
  );
}
