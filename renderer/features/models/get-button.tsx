// Starts the download of a model. A licence that is not free is accepted first.

import { Download } from "lucide-react";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import {
  promptForLicence,
  getModel,
  closeLicencePrompt,
  useDownloads,
  wantedName,
  type Wanted,
} from "./downloads.ts";

const toWanted = ({ id, name, licence, licenceUrl }: ListedModel): Wanted => ({
  id,
  name: name ?? id,
  ...(licence === undefined ? {} : { licence }),
  ...(licenceUrl === undefined ? {} : { url: licenceUrl }),
});

export function GetButton({
  model,
  kind,
  isSmall,
}: { model: ListedModel } & Pick<ButtonProps, "kind" | "isSmall">) {
  const isUnderWay = useDownloads(({ downloads }) => downloads.some(({ id }) => id === model.id));
  const isStarting = useDownloads(({ starting }) => starting === model.id);
  const name = model.name ?? model.id;
  return (
    <Button
      kind={kind}
      isSmall={isSmall}
      icon={<Download aria-hidden />}
      isBusy={isStarting}
      aria-label={t("models.get.name", { name })}
      disabledReason={
        isUnderWay
          ? t("models.get.underWay")
          : model.lacks === "disk"
            ? t("models.lacks.disk")
            : undefined
      }
      onClick={() =>
        model.mustAcceptLicence === true
          ? promptForLicence(toWanted(model))
          : void getModel(toWanted(model))
      }
    >
      {t("models.get")}
    </Button>
  );
}

/** Shown while a licence is to be accepted. */
export function LicenceDialog() {
  const licencePrompt = useDownloads((state) => state.licencePrompt);
  const wanted = licencePrompt?.wanted;
  return (
    <Dialog title={t("models.accept")} isOpen={wanted !== undefined} onClose={closeLicencePrompt}>
      {wanted !== undefined && (
        <>
          <p>
            {licencePrompt?.message ??
              t("models.accept.text", {
                name: wantedName(wanted),
                licence: ("id" in wanted && wanted.licence) || t("models.unknown"),
              })}
          </p>
          {"id" in wanted && wanted.url !== undefined && (
            <p>
              <a href={wanted.url} target="_blank" rel="noreferrer">
                {t("models.accept.read")}
              </a>
            </p>
          )}
          <DialogActions>
            <Button onClick={closeLicencePrompt}>{t("frame.cancel")}</Button>
            <Button kind="primary" onClick={() => void getModel(wanted, true)}>
              {t("models.accept.get")}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
