// Saves a transcript as a file, with the layout that was chosen last.

import type { Item } from "../../../../main/contract/library-item.ts";
import type {
  TranscriptExport,
  TranscriptExportOptions,
} from "../../../../main/contract/transcript-export.ts";
import { exportUrl, readExport } from "../../../api/binary.ts";
import { messageOf } from "../../../api/error.ts";
import { downloadBlob, downloadUrl } from "../../../bridge/bridge.ts";
import { isSaveFailed } from "../../../stores/autosave.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { toast } from "../../../stores/toasts.ts";
import type { OpenTranscript } from "./open-transcripts.ts";

/** What was chosen last, for the whole transcript. */
export function chosenOptions(): TranscriptExportOptions {
  const { format: _, ...layout } = usePreferences.getState().transcriptExport;
  return layout;
}

/** Saves the text first, so that the file equals what is shown. Failures are shown. */
export async function saveExport(
  { store }: OpenTranscript,
  { id, title }: Item,
  format: TranscriptExport,
  options = chosenOptions(),
): Promise<void> {
  await store.save();
  const { saving, message } = store.getState();
  if (isSaveFailed(saving)) toast({ tone: "bad", text: message ?? "" });
  else if (format === "pdf") await savePdf(id, title, options);
  else downloadUrl(exportUrl(id, format, options));
}

/** Only PDF can be refused, if a font is missing: a link would not show why. */
async function savePdf(id: string, title: string, options: TranscriptExportOptions): Promise<void> {
  try {
    const response = await readExport(id, "pdf", options);
    downloadBlob(await response.blob(), `${title.replaceAll(/[\\/:*?"<>|]/g, " ")}.pdf`);
  } catch (error) {
    toast({ tone: "bad", text: messageOf(error) });
  }
}
