// Runs a model of this machine once, to measure its speed and memory and to choose its execution provider.

import { Gauge } from "lucide-react";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { loadModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";

function useSpeedTrial(id: string) {
  const { run, ...task } = useTask();
  const measure = (): void =>
    void run(async (signal) => {
      await call("tryModel", {}, id, signal);
      await loadModels();
    });
  return { ...task, measure };
}

/** In place of the speed; afterwards the row shows it. */
export function MeasureInRow({ id, title }: { id: string; title: string }) {
  const { isBusy, error, measure, cancel } = useSpeedTrial(id);
  return (
    <>
      {isBusy ? (
        <span className="model-measure" role="status">
          <Spinner />
          <span className="unseen">{t("models.speed.measuring")}</span>
          <Button kind="quiet" isSmall onClick={cancel}>
            {t("frame.cancel")}
          </Button>
        </span>
      ) : (
        <Button
          kind="quiet"
          isSmall
          aria-label={t("models.speed.measure.name", { name: title })}
          onClick={measure}
        >
          {t("models.speed.measure.short")}
        </Button>
      )}
      {error !== undefined && (
        <span className="model-lacks model-measure-error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}

/** The details of the model show the result. */
export function MeasureSpeed({ id }: { id: string }) {
  const { isBusy, error, measure, cancel } = useSpeedTrial(id);
  return (
    <>
      <Button icon={<Gauge aria-hidden />} isBusy={isBusy} onClick={measure}>
        {t("models.speed.measure")}
      </Button>
      <RegisterAction id="models.speed" title={t("models.speed.measure")} run={measure} />
      {isBusy && (
        <div className="model-measuring">
          <p role="status">{t("models.speed.measuring")}</p>
          <Button kind="quiet" isSmall onClick={cancel}>
            {t("frame.cancel")}
          </Button>
        </div>
      )}
      {error !== undefined && (
        <div className="model-measuring">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
    </>
  );
}
