// Start screen: write, paste or drop a text, or open a recent narration.

import "./start-area.css";
import { BookOpenText, FolderOpen, PenLine, Sparkles, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { formatDate, formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { removeItemWithToast } from "../../../stores/item-removal.ts";
import { newestFirst, itemPath, useItems } from "../../../stores/items.ts";
import type { Item } from "../../../../main/contract/library-item.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { StartScreen } from "../../../ui/start-screen.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Progress } from "../../../ui/progress.tsx";

/** The library lists all of them. */
const maxRecent = 20;

type StartAreaProps = {
  isBusy: boolean;
  error: string | undefined;
  onText: (script: string) => void;
  onPick: () => void;
};

export function StartArea({ isBusy, error, onText, onPick }: StartAreaProps) {
  const byId = useItems((state) => state.byId);
  const narrations = newestFirst(byId, "narration");
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (
        event.defaultPrevented ||
        text.trim() === "" ||
        event.target instanceof HTMLInputElement ||
        event.target instanceof HTMLTextAreaElement
      )
        return;
      event.preventDefault();
      onText(text);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [onText]);
  return (
    <div className="page-body">
      <div className="narrate-start">
        <StartScreen
          icon={<BookOpenText aria-hidden />}
          title={t("narrate.start.title")}
          text={t("narrate.start.text")}
          actions={
            <>
              <Button
                kind="primary"
                icon={<PenLine aria-hidden />}
                isBusy={isBusy}
                onClick={() => onText("")}
              >
                {t("narrate.new")}
              </Button>
              <Button icon={<FolderOpen aria-hidden />} onClick={onPick}>
                {t("narrate.pick")}
              </Button>
              <Button
                kind="quiet"
                icon={<Sparkles aria-hidden />}
                onClick={() => onText(t("narrate.sample.script"))}
              >
                {t("narrate.sample")}
              </Button>
            </>
          }
        >
          {error !== undefined && <Notice tone="bad">{error}</Notice>}
        </StartScreen>
        {narrations.length > 0 && (
          <section>
            <h2>{t("narrate.recent")}</h2>
            <ul className="narrate-recent">
              {narrations.slice(0, maxRecent).map((item) => (
                <li key={item.id}>
                  <a href={`#${itemPath(item)}`}>{item.title}</a>
                  <span className="secondary figures">{itemStateText(item)}</span>
                  <span className="secondary figures">{formatDate(item.changedAtMs)}</span>
                  <IconButton
                    label={t("narrate.remove", { title: item.title })}
                    isSmall
                    onClick={() => void removeNarration(item)}
                  >
                    <Trash2 aria-hidden />
                  </IconButton>
                  {item.state === "running" && (
                    <Progress label={t("narrate.progress")} fraction={item.progress} />
                  )}
                </li>
              ))}
            </ul>
            {narrations.length > maxRecent && (
              <a className="narrate-recent-all" href="#/library">
                {t("narrate.recent.all", { count: narrations.length })}
              </a>
            )}
          </section>
        )}
      </div>
    </div>
  );
}

function itemStateText({ state, progress, durationSec }: Item): string {
  if (state === "running" || (state !== "done" && progress > 0))
    return t("narrate.progress.percent", { percent: Math.floor(progress * 100) });
  if (state === "failed") return t("narrate.state.failed");
  return durationSec > 0 ? formatTime(durationSec) : t("narrate.state.not-generated");
}

const removeNarration = (item: Item): Promise<void> =>
  removeItemWithToast(item, t("narrate.removed", { title: item.title }));
