// Limits for the engines: processes, idle time, memory. They take effect at the next start.

import { useEffect, useState } from "react";
import { maxMemoryMb } from "../../../main/contract/preferences.ts";
import type { EngineUsage } from "../../../main/contract/app-event.ts";
import { formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { loadInfo, useInfo } from "../../stores/info.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { parseInteger } from "../../ui/parse-integer.ts";

type IntegerFieldProps = {
  label: string;
  help: string;
  value: number | undefined;
  min: number;
  max: number;
  emptyText?: string;
  onChange: (value: number | undefined) => void;
};

export function EngineSection() {
  const { workers, idleSec, memoryMb } = usePreferences();
  const initialEngines = useInfo(({ info }) => info?.engines);
  const [latestEngines, setLatestEngines] = useState<EngineUsage>();
  const engines = latestEngines ?? initialEngines;
  useEffect(() => {
    void loadInfo();
    return eventStream().subscribe(
      (event) => void (event.type === "engines" && setLatestEngines(event.engines)),
    );
  }, []);
  return (
    <Section title={t("settings.engines")} about={t("settings.engines.about")}>
      <div className="settings-columns">
        <IntegerField
          label={t("settings.workers")}
          help={t("settings.workers.help")}
          value={workers}
          min={1}
          max={64}
          onChange={(next) => void changePreferences({ workers: next })}
        />
        <IntegerField
          label={t("settings.idle")}
          help={t("settings.idle.help")}
          value={idleSec}
          min={1}
          max={86_400}
          onChange={(next) => void changePreferences({ idleSec: next })}
        />
        <IntegerField
          label={t("settings.memory")}
          help={t("settings.memory.help")}
          value={memoryMb}
          min={0}
          max={maxMemoryMb}
          emptyText={t("settings.memory.none")}
          onChange={(next) => void changePreferences({ memoryMb: next })}
        />
      </div>
      {engines !== undefined && (
        <p className="field-help">
          {t("settings.memory.now", {
            count: engines.processes,
            size: formatSize(engines.heldBytes),
          })}
          {memoryMb !== undefined &&
            memoryMb > 0 &&
            engines.heldBytes > memoryMb * 1e6 &&
            ` ${t("settings.memory.above")}`}
        </p>
      )}
    </Section>
  );
}

/** Saves on blur or Enter; empty means the default. */
function IntegerField({
  label,
  help,
  value,
  min,
  max,
  emptyText = t("settings.usual"),
  onChange,
}: IntegerFieldProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? String(value ?? "");
  const parsed = parseInteger(shown, min, max);
  const applyTyped = () => {
    if (typed === undefined || parsed === "wrong") return;
    if (parsed !== value) onChange(parsed);
    setTyped(undefined);
  };
  return (
    <TextField
      label={label}
      help={help}
      inputMode="numeric"
      placeholder={emptyText}
      value={shown}
      error={parsed === "wrong" ? t("settings.whole", { min, max }) : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={applyTyped}
      onKeyDown={(event) => {
        if (event.key === "Enter") applyTyped();
        if (event.key === "Escape") setTyped(undefined);
      }}
    />
  );
}
