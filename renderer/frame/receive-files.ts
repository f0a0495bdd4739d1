// Files dropped or pasted on a page: those that it takes go to the page that handles them; the others are refused by
// name, with what is accepted, and can be opened where they belong.

import { languageInUse, t } from "../messages/messages.ts";
import {
  acceptedFiles,
  type FileKind,
  fileKind,
  fileKinds,
  kindsOfPage,
  pageOfKind,
  type ReceivedFile,
} from "../stores/accepted-files.ts";
import { addIncomingFiles, type IncomingFile, sortFiles } from "../stores/incoming.ts";
import { go, type PageName } from "../stores/route.ts";
import { toast } from "../stores/toasts.ts";

/** More names would not fit into a notice. */
const maxNames = 3;

const list = (parts: readonly string[]): string =>
  new Intl.ListFormat(languageInUse()).format(parts);

const describeKind = (kind: FileKind): string =>
  t(`frame.drop.${kind}`, { extensions: acceptedFiles[kind].extensions.join(", ") });

/** What a page accepts, as a sentence. */
export const describeAccepted = (page: PageName): string =>
  t("frame.drop.accepted", { kinds: list(kindsOfPage[page].map(describeKind)) });

function openIncoming(files: readonly IncomingFile[]): void {
  addIncomingFiles(files);
  // Of several kinds, shows that of the first row: transcription takes longest.
  const kind = fileKinds.find((each) => files.some((file) => file.kind === each));
  if (kind !== undefined) go(`/${pageOfKind[kind]}`);
}

function refuse(files: readonly ReceivedFile[], page: PageName): void {
  const usable = files.flatMap((file): IncomingFile[] => {
    const kind = fileKind(file);
    return kind === undefined ? [] : [{ kind, file }];
  });
  const [first] = usable;
  toast({
    tone: "bad",
    text: () => {
      const names = files.slice(0, maxNames).map(({ name }) => t("frame.drop.name", { name }));
      const more = files.length - names.length;
      const allNames = more > 0 ? [...names, t("frame.drop.more", { count: more })] : names;
      const refused = t("frame.drop.refused", { names: list(allNames), count: files.length });
      return `${refused} ${describeAccepted(page)}`;
    },
    ...(first !== undefined && {
      action: {
        label: t("frame.drop.elsewhere", { page: t(`frame.page.${pageOfKind[first.kind]}`) }),
        run: () => openIncoming(usable),
      },
    }),
  });
}

export function receiveFiles(files: readonly ReceivedFile[], page: PageName): void {
  const { accepted, refused } = sortFiles(files, page);
  if (refused.length > 0) refuse(refused, page);
  if (accepted.length > 0) openIncoming(accepted);
}
