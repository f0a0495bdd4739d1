// Table of everything that was measured on this machine.

import { Trash2 } from "lucide-react";
import "../../ui/table.css";
import { measurementsUrl } from "../../api/binary.ts";
import { formatDateTime, formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { languageName } from "../../ui/language-name.ts";
import { Section } from "../../ui/page-frame.tsx";
import { clipTitle } from "./clip-title.ts";
import { formatRate } from "./measure-marks.tsx";
import { removeMeasurement, useMeasurements } from "./measure-store.ts";
import { formatSpeed } from "./model-texts.tsx";

export function MeasureTable() {
  const { measurements, clips } = useMeasurements();
  if (measurements.length === 0) return null;
  return (
    <Section
      title={t("models.measure.table")}
      about={t("models.measure.table.about")}
      actions={
        <a className="button button-secondary" href={measurementsUrl("measurements")} download>
          {t("models.measure.export")}
        </a>
      }
    >
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th>{t("models.id")}</th>
              <th>{t("models.clip")}</th>
              <th className="table-detail">{t("models.measure.language")}</th>
              <th className="table-figure">{t("models.measure.rate")}</th>
              <th className="table-figure">{t("models.measure.speed")}</th>
              <th className="table-figure table-detail">{t("models.measure.memory")}</th>
              <th className="table-detail">{t("models.measure.when")}</th>
              <th>
                <span className="unseen">{t("models.remove")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {measurements.map(
              ({ id, model, clip, language, rate, speed, memoryBytes, measuredAt }) => (
                <tr key={id}>
                  <td>{model}</td>
                  <td>{clipTitle(clip, clips)}</td>
                  <td className="table-detail">{languageName(language)}</td>
                  <td className="table-figure">{formatRate(rate)}</td>
                  <td className="table-figure">{speed === undefined ? "–" : formatSpeed(speed)}</td>
                  <td className="table-figure table-detail">
                    {memoryBytes === undefined ? "–" : formatSize(memoryBytes)}
                  </td>
                  <td className="table-detail">{formatDateTime(measuredAt * 1000)}</td>
                  <td>
                    <Button
                      isSmall
                      icon={<Trash2 aria-hidden />}
                      aria-label={t("models.measure.removeOne", {
                        model,
                        clip: clipTitle(clip, clips),
                      })}
                      onClick={() => void removeMeasurement(id)}
                    />
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
