// Models that are not in the list: any repository of the model hub, or files.

import { Download, FileUp, FolderUp } from "lucide-react";
import { useRef, useState, type RefObject } from "react";
import { toRepositoryName } from "../../../main/contract/model-downloads.ts";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { getModel, useDownloads } from "./downloads.ts";
import { ActionError } from "./downloads-section.tsx";
import { archiveTypes, fromFiles } from "./dropped-files.ts";
import { HubToken } from "./hub-token.tsx";
import type { ModelImport } from "./use-model-import.ts";

const repositoryPattern = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

export function ElsewhereSection({
  modelImport,
  fileInput,
  tokenInput,
}: {
  modelImport: ModelImport;
  fileInput: RefObject<HTMLInputElement | null>;
  tokenInput: RefObject<HTMLInputElement | null>;
}) {
  const folderInput = useRef<HTMLInputElement>(null);
  return (
    <Section title={t("models.elsewhere")} about={t("models.elsewhere.about")}>
      <RepositoryForm />
      <HubToken inputRef={tokenInput} />
      <div className="model-actions">
        <Button
          icon={<FileUp aria-hidden />}
          isBusy={modelImport.isBusy}
          onClick={() => fileInput.current?.click()}
        >
          {t("models.import.file")}
        </Button>
        <Button
          icon={<FolderUp aria-hidden />}
          isBusy={modelImport.isBusy}
          onClick={() => folderInput.current?.click()}
        >
          {t("models.import.folder")}
        </Button>
        <FileInput
          ref={fileInput}
          multiple
          accept={archiveTypes}
          aria-label={t("models.import.file")}
          onFiles={(files) => modelImport.start(fromFiles(files))}
        />
        <FileInput
          ref={folderInput}
          isFolder
          aria-label={t("models.import.folder")}
          onFiles={(files) => modelImport.start(fromFiles(files))}
        />
      </div>
    </Section>
  );
}

function RepositoryForm() {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const repository = toRepositoryName(text);
  const isStarting = useDownloads(({ starting }) => starting === repository);
  return (
    <>
      <form
        className="model-repository"
        onSubmit={(event) => {
          event.preventDefault();
          const isValid = repositoryPattern.test(repository);
          setWrong(!isValid);
          if (isValid) void getModel({ repository });
        }}
      >
        <TextField
          label={t("models.repository")}
          placeholder="owner/name"
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          error={isWrong ? t("models.repository.wrong") : undefined}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <Button type="submit" icon={<Download aria-hidden />} isBusy={isStarting}>
          {t("models.get")}
        </Button>
      </form>
      <ActionError isOfRepository />
    </>
  );
}
