// A recognized text with its errors marked, and the figures of a measurement.

import { Fragment } from "react";
import type { MarkedPart } from "../../../main/contract/measurements.ts";
import { formatDecimal, formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import type { MeasuredTotal } from "./measured-total.ts";
import { formatSpeed } from "./model-texts.tsx";

/** As a correction: wrong words are struck out, right and missing ones follow. */
export function MarkedText({ parts }: { parts: readonly MarkedPart[] }) {
  return parts.map(({ kind, text, expected }, index) => (
    <Fragment key={index}>
      {kind === "same" && text.trim()}
      {(kind === "inserted" || kind === "substituted") && <del>{text.trim()}</del>}
      {kind === "substituted" && " "}
      {(kind === "deleted" || kind === "substituted") && (
        <ins>{(expected ?? text).trim()}</ins>
      )}{" "}
    </Fragment>
  ));
}

export const formatRate = (rate: number): string =>
  t("models.measure.percent", { percent: formatDecimal(rate * 100, 1) });

export function MeasuredFigures({ total }: { total: MeasuredTotal }) {
  const { rate, unit, length, errors, speed, memoryBytes } = total;
  return (
    <p className="figures">
      <strong>{formatRate(rate)}</strong> {t(`models.measure.errors.${unit}`, { errors, length })}
      {speed !== undefined && ` · ${formatSpeed(speed)}`}
      {memoryBytes !== undefined && ` · ${formatSize(memoryBytes)}`}
    </p>
  );
}
