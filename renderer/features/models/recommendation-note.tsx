// The one model to have for a language and task on this machine, with its button.

import { FlaskConical } from "lucide-react";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { go } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { languageName } from "../../ui/language-name.ts";
import { GetButton } from "./get-button.tsx";
import { bestAt, rateText, speedText } from "./model-texts.tsx";
import { useOpenItem } from "./open-item.ts";
import { recommend } from "./recommendation.ts";
import type { ModelTask } from "./model-tasks.ts";

export function RecommendationNote({
  models,
  task,
  language,
}: {
  models: readonly ListedModel[];
  task: ModelTask;
  language: string;
}) {
  const openItem = useOpenItem();
  const model = recommend(models, task, language);
  const purpose = t(`models.recommended.${task}`, { language: languageName(language) });
  if (model === undefined)
    return (
      <section className="model-recommended" aria-label={purpose}>
        <p>{t("models.recommended.none", { language: languageName(language) })}</p>
      </section>
    );
  const rate = model.errorRates?.[language];
  return (
    <section className="model-recommended" aria-label={purpose}>
      <div className="model-recommended-text">
        <p className="secondary">{purpose}</p>
        <h2>{model.name}</h2>
        <p className="secondary">
          {[
            bestAt(model),
            rate && rateText(rate),
            speedText(model),
            model.sizeBytes !== undefined && formatSize(model.sizeBytes),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {model.state === "available" ? (
        <GetButton model={model} kind="primary" />
      ) : (
        <>
          <span className="secondary">{t("models.recommended.here")}</span>
          {openItem === undefined || task === "speak" ? (
            <Button
              icon={<FlaskConical aria-hidden />}
              onClick={() => go(`/models/try?model=${encodeURIComponent(model.id)}`)}
            >
              {t("models.try.this")}
            </Button>
          ) : (
            <Button kind="primary" onClick={() => openItem.transcribeWith(model.id)}>
              {t("models.retranscribe")}
            </Button>
          )}
        </>
      )}
    </section>
  );
}
