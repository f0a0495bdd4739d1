// The Narrate page: the open narration with its panel, or the start screen.

import "./page.css";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { ImportedDocument } from "../../../main/contract/documents.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { acceptAttribute } from "../../stores/accepted-files.ts";
import { takeIncomingFiles, useIncoming } from "../../stores/incoming.ts";
import { useItems } from "../../stores/items.ts";
import { useRoute } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageShell } from "../../ui/page-frame.tsx";
import { CastProposalHint } from "./cast/cast-proposal.tsx";
import { NarrationHeader } from "./narration-header.tsx";
import { Panel } from "./panel/panel.tsx";
import { Editor } from "./script/editor.tsx";
import { createAndOpenNarration, importScriptFiles } from "./start/create-narration.ts";
import { ChapterChoice } from "./start/chapter-choice.tsx";
import { StartArea } from "./start/start-area.tsx";
import { NarrationContext, useOpenNarration, useScript, useNarration } from "./use-narration.ts";

type ChapterQuestion = {
  document: ImportedDocument;
  /** The script of the chapters that are wanted; undefined: none. */
  answer: (script: string | undefined) => void;
};

export function Page() {
  const { rest } = useRoute();
  const [openId] = rest;
  const picker = useRef<HTMLInputElement>(null);
  const item = useItems((state) => (openId === undefined ? undefined : state.byId.get(openId)));
  const isLoaded = useItems((state) => state.isLoaded);
  const task = useTask();
  const { isBusy, error, run, cancel } = task;
  const { importFiles, readingFileName, question } = useScriptImport(task);
  const createFromScript = useCallback(
    (script: string) => void run((signal) => createAndOpenNarration({ script }, signal)),
    [run],
  );
  const openFilePicker = useCallback(() => picker.current?.click(), []);
  useAction({
    id: "narrate.new",
    title: t("narrate.new"),
    keys: "n",
    run: () => createFromScript(""),
  });
  useAction({ id: "narrate.pick", title: t("narrate.pick"), keys: "o", run: openFilePicker });

  const notes = (
    <>
      {readingFileName !== undefined && (
        <div className="narrate-note">
          <Notice
            action={
              <Button isSmall onClick={cancel}>
                {t("frame.cancel")}
              </Button>
            }
          >
            {t("narrate.reading", { name: readingFileName })}
          </Notice>
        </div>
      )}
      {openId !== undefined && error !== undefined && (
        <div className="narrate-note">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
    </>
  );
  const fileInput = (
    <FileInput ref={picker} accept={acceptAttribute("script")} multiple onFiles={importFiles} />
  );
  if (question === undefined && item?.kind === "narration")
    return (
      <PageShell>
        {fileInput}
        <OpenNarration
          key={item.id}
          item={item}
          onNew={() => createFromScript("")}
          onPick={openFilePicker}
        >
          {notes}
        </OpenNarration>
      </PageShell>
    );
  return (
    <PageFrame title={t("narrate.page")} about={t("narrate.about")}>
      {fileInput}
      {notes}
      {question !== undefined ? (
        <ChapterChoice
          document={question.document}
          onChoose={question.answer}
          onCancel={() => question.answer(undefined)}
        />
      ) : openId === undefined ? (
        <StartArea
          isBusy={isBusy}
          error={error}
          onText={createFromScript}
          onPick={openFilePicker}
        />
      ) : (
        isLoaded && <EmptyState title={t("narrate.gone")} text={t("narrate.gone.text")} />
      )}
    </PageFrame>
  );
}

/** Imports scripts that are picked here or handed to the window, and asks which of their chapters are wanted. */
function useScriptImport({ isBusy, run }: Pick<ReturnType<typeof useTask>, "isBusy" | "run">) {
  const incoming = useIncoming((state) => state.files);
  const [readingFileName, setReadingFileName] = useState<string>();
  const [question, setQuestion] = useState<ChapterQuestion>();
  const importFiles = useCallback(
    (files: readonly File[]) =>
      void run((signal) =>
        importScriptFiles(files, signal, {
          onReading: setReadingFileName,
          chooseChapters: (document) =>
            new Promise((resolve) =>
              setQuestion({
                document,
                answer(script) {
                  setQuestion(undefined);
                  resolve(script);
                },
              }),
            ),
        }),
      ),
    [run],
  );
  useEffect(() => {
    // Files that arrive during an import wait until it ends.
    if (isBusy) return;
    const files = takeIncomingFiles("script");
    if (files.length > 0) importFiles(files);
  }, [incoming, importFiles, isBusy]);
  return { importFiles, readingFileName, question };
}

type StartActions = { onNew: () => void; onPick: () => void };

function OpenNarration({ item, ...rest }: StartActions & { item: Item; children: ReactNode }) {
  const narration = useOpenNarration(item);
  return (
    <NarrationContext value={narration}>
      <Narration {...rest} />
    </NarrationContext>
  );
}

/** `children`: notes below the header. */
function Narration({ children, ...startActions }: StartActions & { children: ReactNode }) {
  const { open } = useNarration();
  const phase = useScript((state) => state.phase);
  const message = useScript((state) => state.message);
  const isConflicting = useScript((state) => state.saving === "conflict");
  const [isExporting, setExporting] = useState(false);
  const focusBeforeExport = useRef<Element>(null);
  const showExport = (isOpen: boolean): void => {
    if (isOpen && isExporting) document.querySelector<HTMLElement>(".export-panel select")?.focus();
    if (isOpen === isExporting) return;
    if (isOpen) focusBeforeExport.current = document.activeElement;
    else {
      // In a layout effect: it must run before the focused element is removed with the panel.
      const { current: previousFocus } = focusBeforeExport;
      const canRestoreFocus =
        previousFocus instanceof HTMLElement &&
        previousFocus.isConnected &&
        previousFocus !== document.body;
      (canRestoreFocus
        ? previousFocus
        : document.querySelector<HTMLElement>(".narration-header [aria-expanded]")
      )?.focus();
    }
    setExporting(isOpen);
  };
  const header = (
    <>
      <NarrationHeader isExporting={isExporting} onExport={showExport} {...startActions} />
      {children}
    </>
  );
  if (phase === "loading") return header;
  if (phase === "failed") {
    return (
      <>
        {header}
        <div className="narrate-note">
          <Notice
            tone="bad"
            action={
              <Button isSmall onClick={() => void open.store.load()}>
                {t("frame.retry")}
              </Button>
            }
          >
            {message}
          </Notice>
        </div>
      </>
    );
  }
  return (
    <div className="narrate">
      {header}
      {isConflicting && (
        <div className="narrate-note">
          <Notice
            tone="warn"
            action={
              <>
                <Button isSmall onClick={() => open.store.acceptRemote()}>
                  {t("narrate.conflict.take")}
                </Button>
                <Button isSmall onClick={() => open.store.keepLocal()}>
                  {t("narrate.conflict.keep")}
                </Button>
              </>
            }
          >
            {t("narrate.conflict")}
          </Notice>
        </div>
      )}
      {!isExporting && <CastProposalHint />}
      <div className="narrate-desk">
        <Editor />
        <Panel isExporting={isExporting} onExport={showExport} />
      </div>
    </div>
  );
}
