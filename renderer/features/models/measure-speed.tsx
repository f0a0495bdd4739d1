// Runs a model of this machine once, to measure its speed and memory and to choose its execution provider.

import { Gauge } from "lucide-react";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { loadModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

/** The details of the model show the result. */
export function MeasureSpeed({ id }: { id: string }) {
  const { isBusy, error, run, cancel } = useTask();
  const measure = (): void =>
    void run(async (signal) => {
      await call("tryModel", {}, id, signal);
      await loadModels();
    });
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
            {t("shell.cancel")}
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
