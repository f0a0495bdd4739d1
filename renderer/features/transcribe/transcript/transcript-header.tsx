// Header of a transcript: editable title, details, tools.

import "./transcript-header.css";
import { Ellipsis, ListChecks, Redo2, RotateCcw, Search, Undo2, Users } from "lucide-react";
import type { TranscribeOptions } from "../../../../main/contract/transcript-document.ts";
import { messageOf } from "../../../api/error.ts";
import { formatTime } from "../../../messages/format.ts";
import { languageInUse, t } from "../../../messages/messages.ts";
import { renameItem } from "../../../stores/items.ts";
import { toast } from "../../../stores/toasts.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { languageName } from "../../../ui/language-name.ts";
import { Menu } from "../../../ui/menu.tsx";
import { TitleField } from "../../../ui/title-field.tsx";
import { isTranslated, spokenLanguages } from "../document/languages.ts";
import { retranscribeDisabledReason, retranscribeItem } from "../queue/item-actions.ts";
import { CopyMenu, ExportButtons } from "./export-menus.tsx";
import { ModelsLink } from "./models-link.tsx";
import {
  useDocument,
  useNoFindingSpeakersReason,
  useTranscript,
  useView,
} from "./use-transcript.ts";

export function TranscriptHeader() {
  const { open, actions } = useTranscript();
  const undoName = useDocument((state) => state.undoName);
  const redoName = useDocument((state) => state.redoName);
  const panel = useView((view) => view.panel);
  const noTextReason = useDocument((state) =>
    state.segments.length === 0 ? t("transcribe.no-text") : undefined,
  );
  return (
    <header className="transcript-header">
      <div className="transcript-header-text">
        <Title />
        <TranscriptInfo />
      </div>
      <div className="transcript-header-tools">
        <IconButton
          label={
            undoName === undefined ? t("frame.undo") : t("frame.undo.titled", { title: undoName })
          }
          keys="mod+z"
          disabledReason={undoName === undefined ? t("frame.undo.nothing") : undefined}
          onClick={() => open.store.undo()}
        >
          <Undo2 aria-hidden />
        </IconButton>
        <IconButton
          label={
            redoName === undefined ? t("frame.redo") : t("frame.redo.titled", { title: redoName })
          }
          keys="mod+shift+z"
          disabledReason={redoName === undefined ? t("frame.redo.nothing") : undefined}
          onClick={() => open.store.redo()}
        >
          <Redo2 aria-hidden />
        </IconButton>
        <IconButton
          label={t("transcribe.find")}
          keys="mod+f"
          aria-pressed={panel === "find"}
          disabledReason={noTextReason}
          onClick={() => actions.showPanel(panel === "find" ? undefined : "find")}
        >
          <Search aria-hidden />
        </IconButton>
        <IconButton
          label={t("transcribe.low-confidence")}
          keys="d"
          aria-pressed={panel === "lowConfidence"}
          disabledReason={noTextReason}
          onClick={() => actions.showPanel(panel === "lowConfidence" ? undefined : "lowConfidence")}
        >
          <ListChecks aria-hidden />
        </IconButton>
        <CopyMenu noTextReason={noTextReason} />
        <ExportButtons noTextReason={noTextReason} />
        <TranscriptMenu />
      </div>
    </header>
  );
}

function TranscriptMenu() {
  const { item, actions } = useTranscript();
  return (
    <Menu
      items={[
        {
          label: t("transcribe.option.speakers"),
          icon: <Users aria-hidden />,
          run: () => actions.showPanel("findSpeakers"),
          disabledReason: useNoFindingSpeakersReason(),
        },
        {
          label: t("transcribe.retranscribe-all"),
          icon: <RotateCcw aria-hidden />,
          run: () =>
            void retranscribeItem(item).catch((error: unknown) =>
              toast({ tone: "bad", text: messageOf(error) }),
            ),
          disabledReason: retranscribeDisabledReason(item),
        },
      ]}
    >
      <IconButton label={t("transcribe.transcript.more")}>
        <Ellipsis aria-hidden />
      </IconButton>
    </Menu>
  );
}

function Title() {
  const { item } = useTranscript();
  return (
    <TitleField
      label={t("transcribe.title")}
      maxLength={300}
      value={item.title}
      onSave={(title) => renameItem(item.id, title)}
    />
  );
}

function TranscriptInfo() {
  const { item, open } = useTranscript();
  const saving = useDocument((state) => state.saving);
  const message = useDocument((state) => state.message);
  const languages = useDocument(({ segments, document }) =>
    languageText(spokenLanguages(segments), document?.options, item.channels),
  );
  const remoteChannels = item.channels.filter((channel) => channel !== "local");
  const channelText =
    item.channels.length === 0
      ? undefined
      : remoteChannels.length === 0
        ? t("transcribe.stayed-here")
        : t(
            remoteChannels.length < item.channels.length
              ? "transcribe.also-went-to"
              : "transcribe.went-to",
            {
              channel: remoteChannels.join(", "),
            },
          );
  // Unknown while recording; the record bar shows the time.
  const infoParts = [
    item.durationSec > 0 && formatTime(item.durationSec),
    languages,
    channelText,
  ].filter(Boolean);
  return (
    <p className="transcript-facts figures">
      {infoParts.join(" · ")}
      <ModelsLink isHint />
      <span role="status">
        {saving === "saved" ? "" : ` · ${t(`transcribe.saving.${saving}`)}`}
      </span>
      {(saving === "retrying" || saving === "stuck") && (
        <>
          <span className="field-error"> {message}</span>
          <Button kind="quiet" isSmall onClick={() => void open.store.save()}>
            {t("transcribe.try-again")}
          </Button>
        </>
      )}
    </p>
  );
}

function languageText(
  languages: readonly string[],
  options: TranscribeOptions | undefined,
  channels: readonly string[],
): string {
  const names = new Intl.ListFormat(languageInUse()).format(languages.map(languageName));
  if (!isTranslated(options, languages, channels)) return names;
  // Providers that report the language of their output do not report which language was spoken.
  return languages.join() === "en"
    ? t("transcribe.translated")
    : `${names} · ${t("transcribe.translated")}`;
}
