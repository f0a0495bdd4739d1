// Asks before a model is removed, and says what is done by another one then.

import type { ListedModel } from "../../../main/contract/window-api.ts";
import { call } from "../../api/client.ts";
import { formatSize } from "../../messages/format.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { loadModels, useModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { languageName } from "../../ui/language-name.ts";
import { defaultLanguages, lostLanguages } from "./defaults.ts";

const maxNames = 5;

function listNames(codes: readonly string[]): string {
  const names = codes.slice(0, maxNames).map(languageName);
  const rest = codes.length - names.length;
  return new Intl.ListFormat(languageInUse()).format(
    rest === 0 ? names : [...names, t("models.languages.more-count", { count: rest })],
  );
}

export function RemoveDialog({
  model,
  isOpen,
  onClose,
}: {
  model: ListedModel;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { models, defaults } = useModels();
  const removal = useTask();
  const lost = lostLanguages(model, models);
  const replaced = defaultLanguages(model.id, defaults).filter((code) => !lost.includes(code));
  return (
    <Confirm
      title={t("models.remove.title", { name: model.name ?? model.id })}
      text={
        <>
          {t("models.remove.text", { size: formatSize(model.sizeBytes ?? 0) })}
          {replaced.length > 0 &&
            ` ${t("models.remove.default", { languages: listNames(replaced) })}`}
          {lost.length > 0 && ` ${t("models.remove.lost", { languages: listNames(lost) })}`}
        </>
      }
      verb={t("models.remove")}
      isOpen={isOpen}
      isBusy={removal.isBusy}
      error={removal.error}
      onClose={onClose}
      onConfirm={() =>
        void removal.run(async () => {
          await call("removeModel", {}, model.id);
          onClose();
          await loadModels();
        })
      }
    />
  );
}
