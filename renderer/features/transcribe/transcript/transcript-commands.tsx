// Commands of the open transcript, for the palette, the keys and the keys overlay.

import { transcriptExports } from "../../../../main/contract/transcript-export.ts";
import { messageOf } from "../../../api/error.ts";
import { copyText } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { RegisterAction, type Action } from "../../../stores/actions.ts";
import { go } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import { useUndo } from "../../../stores/undo.ts";
import { canSplit } from "../document/edits.ts";
import {
  cancelTranscription,
  isInProgress,
  removeItem,
  retranscribeDisabledReason,
  retranscribeItem,
} from "../queue/item-actions.ts";
import { plainText, timedText } from "./plain-text.ts";
import { saveExport } from "./save-export.ts";
import { makeSpeakerScript } from "./speaker-script.ts";
import {
  useDocument,
  useNoFindingSpeakersReason,
  useNoSpeakersReason,
  useTranscript,
  useView,
} from "./use-transcript.ts";

export function TranscriptCommands() {
  // The order in which the palette and the keys overlay show them.
  const commands = [
    ...useUndoCommands(),
    ...usePanelCommands(),
    ...useSegmentCommands(),
    ...useTextCommands(),
    ...useItemCommands(),
  ];
  return commands.map((action) => <RegisterAction key={action.id} {...action} />);
}

/** If the transcript has nothing to undo, the library's stack is used. */
function useUndoCommands(): readonly Action[] {
  const { open } = useTranscript();
  const undoName = useDocument((state) => state.undoName);
  const redoName = useDocument((state) => state.redoName);
  const libraryUndoTitle = useUndo((stack) => stack.past.at(-1)?.title);
  const libraryRedoTitle = useUndo((stack) => stack.future.at(-1)?.title);
  const undo = undoName ?? libraryUndoTitle;
  const redo = redoName ?? libraryRedoTitle;
  const group = t("frame.group.window");
  return [
    {
      id: "undo",
      title: undo === undefined ? t("frame.undo") : t("frame.undo.titled", { title: undo }),
      group,
      keys: "mod+z",
      disabledReason: undo === undefined ? t("frame.undo.nothing") : undefined,
      run: () => (undoName === undefined ? void useUndo.getState().undo() : open.store.undo()),
    },
    {
      id: "redo",
      title: redo === undefined ? t("frame.redo") : t("frame.redo.titled", { title: redo }),
      group,
      keys: "mod+shift+z",
      disabledReason: redo === undefined ? t("frame.redo.nothing") : undefined,
      run: () => (redoName === undefined ? void useUndo.getState().redo() : open.store.redo()),
    },
  ];
}

function useNoTextReason(): string | undefined {
  const isEmpty = useDocument((state) => state.segments.length === 0);
  return isEmpty ? t("transcribe.no-text") : undefined;
}

function usePanelCommands(): readonly Action[] {
  const { actions } = useTranscript();
  const panel = useView((view) => view.panel);
  const noTextReason = useNoTextReason();
  return [
    {
      id: "transcribe.find",
      title: t("transcribe.find"),
      keys: "mod+f",
      worksInText: true,
      disabledReason: noTextReason,
      run: () => actions.showPanel("find"),
    },
    {
      id: "transcribe.export",
      title: t("transcribe.export.open"),
      disabledReason: noTextReason,
      run: () => actions.showPanel("export"),
    },
    {
      id: "transcribe.low-confidence",
      title: t("transcribe.low-confidence"),
      keys: "d",
      disabledReason: noTextReason,
      run: () => actions.showPanel(panel === "lowConfidence" ? undefined : "lowConfidence"),
    },
  ];
}

/** Commands for the segment with the focus. */
function useSegmentCommands(): readonly Action[] {
  const { item, open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const focusedId = useView((view) => view.focusedId);
  const caret = useView((view) => view.caret);
  const segment = segments.find((each) => each.id === focusedId) ?? segments[0];
  const noTextReason = useNoTextReason();
  const noAudioReason = item.hasMedia ? noTextReason : t("transcribe.no-sound");
  const splitCommand = useSplitCommand();
  return [
    {
      id: "transcribe.text",
      title: t("transcribe.segment.go"),
      keys: "e",
      disabledReason: noTextReason,
      run: () => segment && open.view.setState({ focusedId: segment.id, shouldFocus: true }),
    },
    {
      id: "transcribe.play-segment",
      title: t("transcribe.segment.play"),
      keys: "p",
      disabledReason: noAudioReason,
      run: () => segment && actions.playFrom(segment.startSec),
    },
    {
      id: "transcribe.retranscribe",
      title: t("transcribe.retranscribe.verb"),
      keys: "h",
      disabledReason: noAudioReason,
      run: () =>
        segment && actions.retranscribe({ fromSec: segment.startSec, toSec: segment.endSec }),
    },
    {
      id: "transcribe.speaker",
      title: t("transcribe.speaker.verb"),
      keys: "s",
      disabledReason: noTextReason,
      run: () => segment && actions.openSpeakerPanel(segment.id),
    },
    {
      id: "transcribe.speaker-split",
      title: t("transcribe.speaker.split"),
      keys: "shift+s",
      disabledReason:
        segment !== undefined && segment.speaker === undefined
          ? t("transcribe.speaker.nobody-yet")
          : noTextReason,
      run: () =>
        segment && actions.splitSpeaker(segment.id, caret?.id === segment.id ? caret.offset : 0),
    },
    {
      id: "transcribe.merge",
      title: t("transcribe.segment.merge"),
      keys: "m",
      disabledReason: segment === segments.at(-1) ? t("transcribe.segment.is-last") : noTextReason,
      run: () => segment && actions.mergeWithNext(segment.id),
    },
    {
      id: "transcribe.edit",
      title: t("transcribe.segment.edit-verb"),
      disabledReason: noTextReason,
      run: () => segment && actions.edit(segment.id),
    },
    splitCommand,
    {
      id: "transcribe.remove-segment",
      title: t("transcribe.segment.remove"),
      disabledReason: noTextReason,
      run: () => segment && actions.remove(segment.id),
    },
  ];
}

function useSplitCommand(): Action {
  const { actions } = useTranscript();
  const caret = useView((view) => view.caret);
  const caretSegment = useDocument(({ segments }) => segments.find(({ id }) => id === caret?.id));
  const hasCaret =
    caretSegment !== undefined && caret !== undefined && canSplit(caretSegment, caret.offset);
  return {
    id: "transcribe.split",
    title: t("transcribe.segment.split"),
    keys: "mod+Enter",
    disabledReason: hasCaret ? undefined : t("transcribe.segment.no-caret"),
    run: () => caret && actions.split(caret.id, caret.offset),
  };
}

/** Copying and exporting the text. */
function useTextCommands(): readonly Action[] {
  const { item, open } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const noTextReason = useNoTextReason();
  const noSpeakersReason = useNoSpeakersReason();
  return [
    {
      id: "transcribe.copy",
      title: t("transcribe.copy.text"),
      disabledReason: noTextReason,
      run: () => void copyWithToast(plainText(segments)),
    },
    {
      id: "transcribe.copy-times",
      title: t("transcribe.copy.times"),
      disabledReason: noTextReason,
      run: () => void copyWithToast(timedText(segments)),
    },
    ...transcriptExports.map((format) => ({
      id: `transcribe.export.${format}`,
      title: t("frame.choice", {
        name: t("transcribe.export"),
        value: t(`transcribe.export.${format}`),
      }),
      disabledReason: noTextReason ?? (format === "rttm" ? noSpeakersReason : undefined),
      run: () => void saveExport(open, item, format),
    })),
    {
      id: "transcribe.script",
      title: t("transcribe.script"),
      disabledReason: noTextReason ?? noSpeakersReason,
      run: () => void makeSpeakerScript(open, item),
    },
  ];
}

/** Commands for the item in the library and its transcription. */
function useItemCommands(): readonly Action[] {
  const { item, actions } = useTranscript();
  return [
    {
      id: "transcribe.rename",
      title: t("transcribe.rename"),
      run: () =>
        document.querySelector<HTMLInputElement>(".transcript-header .title-field")?.select(),
    },
    {
      id: "transcribe.cancel",
      title: t("transcribe.cancel.named", { title: item.title }),
      disabledReason: isInProgress(item) ? undefined : t("transcribe.not-at-work"),
      run: () => toastFailure(cancelTranscription(item)),
    },
    {
      id: "transcribe.find-speakers",
      title: t("transcribe.option.speakers"),
      disabledReason: useNoFindingSpeakersReason(),
      run: () => actions.showPanel("findSpeakers"),
    },
    {
      id: "transcribe.retranscribe-all",
      title: t("transcribe.retranscribe-all"),
      disabledReason: retranscribeDisabledReason(item),
      run: () => toastFailure(retranscribeItem(item)),
    },
    {
      id: "transcribe.remove",
      title: t("frame.choice", { name: t("transcribe.remove"), value: item.title }),
      disabledReason: item.state === "recording" ? t("transcribe.is-at-work") : undefined,
      run: () => void removeItem(item).then(() => go("/transcribe")),
    },
  ];
}

const toastFailure = (work: Promise<void>): void =>
  void work.catch((error: unknown) => toast({ tone: "bad", text: () => messageOf(error) }));

async function copyWithToast(text: string): Promise<void> {
  toast(
    (await copyText(text))
      ? { text: () => t("frame.copied") }
      : { tone: "bad", text: () => t("frame.copy.refused") },
  );
}
