// What can be done to the open transcript, for the palette, the keys and their overlay.

import { transcriptExports } from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { copyText } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { Registered, type Action } from "../../../stores/actions.ts";
import { go } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import { useUndo } from "../../../stores/undo.ts";
import { canSplit } from "../document/edits.ts";
import { cancelWork, isAtWork, removeItem, workAgain } from "../queue/item-work.ts";
import { plainText, timedText } from "./plain-text.ts";
import { exportTranscript } from "./take-out.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

export function TranscriptKeys() {
  const { item, open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const undoName = useDocument((state) => state.undoName);
  const redoName = useDocument((state) => state.redoName);
  const panel = useView((view) => view.panel);
  const focusedId = useView((view) => view.focusedId);
  const caret = useView((view) => view.caret);
  const segment = segments.find((each) => each.id === focusedId) ?? segments[0];
  const cut = segments.find(({ id }) => id === caret?.id);
  const hasCaret = cut !== undefined && caret !== undefined && canSplit(cut, caret.offset);
  const atWork =
    isAtWork(item) || item.state === "recording" ? t("transcribe.is-at-work") : undefined;
  // Where nothing of the transcript can be taken back, the library's own steps can.
  const library = useUndo((stack) => stack.past.at(-1)?.title);
  const libraryRedo = useUndo((stack) => stack.future.at(-1)?.title);
  const undo = undoName ?? library;
  const redo = redoName ?? libraryRedo;
  const window = t("shell.group.window");
  const noText = segment === undefined ? t("transcribe.no-text") : undefined;
  const noSound = item.hasMedia ? noText : t("transcribe.no-sound");
  const list: readonly Action[] = [
    {
      id: "undo",
      title: undo === undefined ? t("shell.undo") : t("shell.undo.titled", { title: undo }),
      group: window,
      keys: "mod+z",
      disabledReason: undo === undefined ? t("shell.undo.nothing") : undefined,
      run: () => (undoName === undefined ? void useUndo.getState().undo() : open.store.undo()),
    },
    {
      id: "redo",
      title: redo === undefined ? t("shell.redo") : t("shell.redo.titled", { title: redo }),
      group: window,
      keys: "mod+shift+z",
      disabledReason: redo === undefined ? t("shell.redo.nothing") : undefined,
      run: () => (redoName === undefined ? void useUndo.getState().redo() : open.store.redo()),
    },
    {
      id: "transcribe.find",
      title: t("transcribe.find"),
      keys: "mod+f",
      worksInText: true,
      disabledReason: noText,
      run: () => actions.show("find"),
    },
    {
      id: "transcribe.doubts",
      title: t("transcribe.doubts"),
      keys: "d",
      disabledReason: noText,
      run: () => actions.show(panel === "doubts" ? undefined : "doubts"),
    },
    {
      id: "transcribe.text",
      title: t("transcribe.segment.go"),
      keys: "e",
      disabledReason: noText,
      run: () => segment && open.view.setState({ focusedId: segment.id, takesFocus: true }),
    },
    {
      id: "transcribe.play-segment",
      title: t("transcribe.segment.play"),
      keys: "p",
      disabledReason: noSound,
      run: () => segment && actions.playFrom(segment.startSec),
    },
    {
      id: "transcribe.again",
      title: t("transcribe.again.verb"),
      keys: "h",
      disabledReason: noSound,
      run: () => segment && actions.hearAgain({ fromSec: segment.startSec, toSec: segment.endSec }),
    },
    {
      id: "transcribe.speaker",
      title: t("transcribe.speaker.verb"),
      keys: "s",
      disabledReason: noText,
      run: () => segment && actions.nameSpeaker(segment.id),
    },
    {
      id: "transcribe.merge",
      title: t("transcribe.segment.merge"),
      keys: "m",
      disabledReason: segment === segments.at(-1) ? t("transcribe.segment.is-last") : noText,
      run: () => segment && actions.mergeWithNext(segment.id),
    },
    {
      id: "transcribe.edit",
      title: t("transcribe.segment.edit-verb"),
      disabledReason: noText,
      run: () => segment && actions.edit(segment.id),
    },
    {
      id: "transcribe.split",
      title: t("transcribe.segment.split"),
      keys: "mod+Enter",
      disabledReason: hasCaret ? undefined : t("transcribe.segment.no-caret"),
      run: () => caret && actions.split(caret.id, caret.offset),
    },
    {
      id: "transcribe.remove-segment",
      title: t("transcribe.segment.remove"),
      disabledReason: noText,
      run: () => segment && actions.remove(segment.id),
    },
    {
      id: "transcribe.copy",
      title: t("transcribe.copy.text"),
      disabledReason: noText,
      run: () => void copy(plainText(segments)),
    },
    {
      id: "transcribe.copy-times",
      title: t("transcribe.copy.times"),
      disabledReason: noText,
      run: () => void copy(timedText(segments)),
    },
    ...transcriptExports.map((format) => ({
      id: `transcribe.export.${format}`,
      title: t("shell.choice", {
        name: t("transcribe.export"),
        value: t(`transcribe.export.${format}`),
      }),
      disabledReason: noText,
      run: () => void exportTranscript(open, item, format),
    })),
    {
      id: "transcribe.rename",
      title: t("transcribe.rename"),
      run: () =>
        document.querySelector<HTMLInputElement>(".transcript-header .title-field")?.select(),
    },
    {
      id: "transcribe.cancel",
      title: t("transcribe.cancel.named", { title: item.title }),
      disabledReason: isAtWork(item) ? undefined : t("transcribe.not-at-work"),
      run: () => tell(cancelWork(item)),
    },
    {
      id: "transcribe.work-again",
      title: t("transcribe.work-again"),
      disabledReason: atWork ?? (item.hasMedia ? undefined : t("transcribe.no-sound")),
      run: () => tell(workAgain(item)),
    },
    {
      id: "transcribe.remove",
      title: t("shell.choice", { name: t("transcribe.remove"), value: item.title }),
      disabledReason: item.state === "recording" ? t("transcribe.is-at-work") : undefined,
      run: () => void removeItem(item).then(() => go("/transcribe")),
    },
  ];
  return list.map((action) => <Registered key={action.id} {...action} />);
}

const tell = (work: Promise<void>): void =>
  void work.catch((error: unknown) => toast({ tone: "bad", text: messageOf(error) }));

async function copy(text: string): Promise<void> {
  toast(
    (await copyText(text))
      ? { text: t("shell.copied") }
      : { tone: "bad", text: t("shell.copy.refused") },
  );
}
